import type { Delete } from '../model/change.ts';
import type { ServiceError } from '../model/service.ts';
import { isNamed } from '../planner/match.ts';
import {
  type ChangeContext,
  type ChangeOutcome,
  notCarriedOut,
  orThrow,
  outcomeOfError,
  recordFailure,
  strangerFound,
} from './change.ts';
import { changedSince } from './check.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './records.ts';

/** What was read longer ago is read again before it is relied on, in milliseconds. */
export const FRESH_MS = 5 * 60_000;

/**
 * Deletes the record, unless others have changed it since it was read, at `readAt` in milliseconds since 1970; where the
 * outcome stays unknown, reads it to tell.
 */
export async function executeDelete(
  item: IndexedChange<Delete>,
  readAt: number,
  context: ChangeContext,
): Promise<ChangeOutcome> {
  const { change } = item;
  const { id, domain } = change;
  const age = context.clock.now() - readAt;
  // What seems to have been read later than now may be of any age: the clock was set back.
  const isFresh = age >= 0 && age <= FRESH_MS;
  if (!(await context.begin(item))) return { fate: 'withdrawn' };
  const refusal = isFresh ? undefined : await whyNot(change, context);
  if (refusal !== undefined) return refusal;
  try {
    await context.service.remove(id, domain);
    return { fate: 'done', id };
  } catch (error) {
    return orThrow(error, (failure) => outcomeOfError(failure) ?? confirm(change, failure, context));
  }
}

/** Why a record is not to be deleted that shows what it did not when the plan was made, if it does. */
async function whyNot(change: Delete, { service, names }: ChangeContext): Promise<ChangeOutcome | undefined> {
  try {
    const website = await readRecord(service, change);
    // A delete of what is gone is done.
    if (website === undefined) return undefined;
    if (!isNamed(website, change.domain, names())) return strangerFound(change, website);
    const message = changedSince(change, website.settings);
    return message === undefined ? undefined : recordFailure(message, 'Plan again.');
  } catch (error) {
    return orThrow(error, notCarriedOut);
  }
}

/** What the record tells of a delete whose answer was lost; an id that is another website's by now was given away again. */
async function confirm(
  change: Delete,
  error: ServiceError,
  { service, names }: ChangeContext,
): Promise<ChangeOutcome> {
  try {
    const website = await service.read(change.id);
    const isThere = website !== undefined && isNamed(website, change.domain, names());
    if (isThere) return { fate: 'unknown', error };
    return { fate: 'done', id: change.id, note: 'its answer was lost; the record is gone' };
  } catch (second) {
    return orThrow(second, (failure) => ({
      fate: 'unknown',
      error: failure.code === 'key-refused' ? failure : error,
    }));
  }
}
