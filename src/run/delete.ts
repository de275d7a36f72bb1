import type { Delete } from '../model/change.ts';
import { strangerRefused } from '../model/identity.ts';
import { isNamed } from '../planner/match.ts';
import { changedSince } from './check.ts';
import { type ChangeContext, type Ended, readUnclear, recordFailure, withOutcome } from './context.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './readings.ts';

/** Maximum age in milliseconds. Before a delete relies on an older reading, the record is read again. */
const FRESH_MS = 5 * 60_000;

/** If the clock was set back, a reading may have a time in the future. Such a reading is not fresh. */
export function isFresh(readAt: number, now: number): boolean {
  return now >= readAt && now - readAt <= FRESH_MS;
}

/** Deletes the record, unless it has changed since `readAt`. If the outcome is unknown, reads the record again. */
export async function executeDelete(
  item: IndexedChange<Delete>,
  readAt: number,
  context: ChangeContext,
): Promise<Ended> {
  const { change } = item;
  const { id, domain } = change;
  const { clock, service, names } = context;
  const mayRely = isFresh(readAt, clock.now());
  await context.begin(item);
  if (!mayRely) await refuseChanged(change, context);
  try {
    await service.remove(id, domain, context.permit);
    return { id };
  } catch (error) {
    const website = await readUnclear(error, () => readRecord(service, change));
    // If the ID now belongs to another website, the delete was carried out and the service reused the ID.
    if (website !== undefined && isNamed(website, domain, names())) throw error;
    return { id, note: { code: 'gone' } };
  }
}

async function refuseChanged(change: Delete, { service, names, factText }: ChangeContext): Promise<void> {
  const website = await readRecord(service, change, change).catch((error) => {
    throw withOutcome(error, 'refused');
  });
  if (website === undefined) return;
  if (!isNamed(website, change.domain, names())) throw strangerRefused(change, website.domain);
  const stale = changedSince(change, website);
  if (stale !== undefined) throw recordFailure(factText(stale), 'Plan again.');
}
