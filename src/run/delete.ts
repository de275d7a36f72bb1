import type { Delete } from '../model/change.ts';
import type { ServiceError } from '../model/service.ts';
import { isNamed } from '../planner/match.ts';
import {
  type ChangeContext,
  notCarriedOut,
  orThrow,
  recordFailure,
  strangerFound,
  type Verdict,
  verdictOfError,
} from './change.ts';
import { changedSince } from './check.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './records.ts';

/** In milliseconds. An older reading is repeated before a write relies on it. */
export const FRESH_MS = 5 * 60_000;

/** Deletes the record, unless others have changed it since `readAt`; if the outcome stays unknown, reads it again. */
export async function executeDelete(
  item: IndexedChange<Delete>,
  readAt: number,
  context: ChangeContext,
): Promise<Verdict> {
  const { change } = item;
  const { id, domain } = change;
  const age = context.clock.now() - readAt;
  // A reading of the future may be of any age: the clock was set back.
  const isFresh = age >= 0 && age <= FRESH_MS;
  if (!(await context.begin(item))) return { outcome: 'withdrawn' };
  const refusal = isFresh ? undefined : await whyNot(change, context);
  if (refusal !== undefined) return refusal;
  try {
    await context.service.remove(id, domain);
    return { outcome: 'done', id };
  } catch (error) {
    return orThrow(error, (failure) => verdictOfError(failure) ?? confirm(change, failure, context));
  }
}

/** Returns why the record must stay: it shows values that it did not when the plan was made. */
async function whyNot(change: Delete, { service, names }: ChangeContext): Promise<Verdict | undefined> {
  try {
    const website = await readRecord(service, change);
    if (website === undefined) return undefined;
    if (!isNamed(website, change.domain, names())) return strangerFound(change, website);
    const message = changedSince(change, website);
    return message === undefined ? undefined : recordFailure(message, 'Plan again.');
  } catch (error) {
    return orThrow(error, notCarriedOut);
  }
}

/** An ID that is another website's was given away again after the delete. */
async function confirm(
  change: Delete,
  error: ServiceError,
  { service, names }: ChangeContext,
): Promise<Verdict> {
  try {
    const website = await service.read(change.id);
    const isThere = website !== undefined && isNamed(website, change.domain, names());
    if (isThere) return { outcome: 'unknown', error };
    return { outcome: 'done', id: change.id, note: 'its answer was lost; the record is gone' };
  } catch (second) {
    return orThrow(second, (failure) => ({
      outcome: 'unknown',
      error: failure.code === 'key-refused' ? failure : error,
    }));
  }
}
