/**
 * Whose turn an update is, and what is read before it. update/update-form.ts says what is sent; send-update.ts sends it,
 * and compares what the update left out.
 */
import type { Update } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import type { Settings } from '../../model/field-table.ts';
import { strangerRefused } from '../../model/identity.ts';
import { ServiceError } from '../../model/service.ts';
import { freshSighting, type Sighting, type UpdateForm } from '../../update/update-form.ts';
import type { ExecutionContext } from './context.ts';
import { type ChangeOutcome, type NotDone, notCarriedOut } from './outcome.ts';
import { reread } from './refetch.ts';
import { type Damaged, repair } from './restore.ts';
import { type Outcome, sendUpdate } from './send-update.ts';
import { endangered, vanished } from './update-failures.ts';
import type { UpdateItem } from './updates.ts';

/** Beside others, alone if it still has to be, or alone in any case. */
type Way = 'beside' | 'alone' | 'alone for sure';

/** Sends the update when its turn comes. Nothing is sent once `halt` is aborted. */
export async function executeUpdate(
  item: UpdateItem,
  context: ExecutionContext,
  halt: AbortSignal,
): Promise<ChangeOutcome> {
  const { learning, lane, olderOf } = context.updates;
  const older = olderOf(item.change);
  let way: Way = isAlone(learning.formOf(item.change, older)) ? 'alone' : 'beside';
  for (;;) {
    const attempt = async (): Promise<Outcome | Way> =>
      halt.aborted ? { verdict: { fate: 'withdrawn' } } : attemptUpdate(item, older, way, context);
    const outcome: Outcome | Way = await (way === 'beside' ? lane.together(attempt) : lane.alone(attempt));
    if (typeof outcome === 'object') return mended(outcome, context);
    way = outcome;
  }
}

/** Something may be found out before it is sent, by which other updates go, or it may become safe to send. */
function isAlone({ alone, endangers }: UpdateForm): boolean {
  return alone || endangers !== undefined;
}

/** Puts back what was reset, once nothing is in flight: other updates may have been reset too. */
async function mended({ verdict, damaged }: Outcome, context: ExecutionContext): Promise<ChangeOutcome> {
  if (damaged !== undefined) await context.updates.lane.alone(() => repair(damaged, context));
  return verdict;
}

/** How it ended, or the other way that it has to go. */
async function attemptUpdate(
  item: UpdateItem,
  older: Sighting,
  way: Way,
  context: ExecutionContext,
): Promise<Outcome | Way> {
  const { change } = item;
  const { learning } = context.updates;
  const form = learning.formOf(change, older);
  // Others have found out meanwhile what it needs to know.
  if (way === 'alone' && !isAlone(form)) return 'beside';
  if (form.endangers !== undefined) return { verdict: endangered(change, form.endangers) };
  if (!form.readFirst && way !== 'alone for sure') return sendBeside(item, older, older, form, context);
  const seen = await readFirst(change, older.settings, context);
  if ('fate' in seen) return { verdict: seen };
  const now = learning.formOf(change, seen);
  if (way === 'beside' && isAlone(now)) return 'alone for sure';
  if (now.endangers !== undefined) return { verdict: endangered(change, now.endangers) };
  if (way === 'beside') return sendBeside(item, older, seen, now, context);
  const { verdict, damaged } = await sendUpdate(item, older, seen, now, context);
  // Nothing is in flight: it is put back before the next one goes.
  if (damaged !== undefined) await repair(damaged, context);
  return { verdict };
}

/** Sends it, noted as in flight; where it finds damage, with the others that are in flight by then. */
async function sendBeside(
  item: UpdateItem,
  older: Sighting,
  seen: Sighting,
  form: UpdateForm,
  context: ExecutionContext,
): Promise<Outcome> {
  const { inFlight } = context.updates;
  const own = { item, seen, leftOut: form.leftOut };
  inFlight.add(own);
  try {
    const outcome = await sendUpdate(item, older, seen, form, context);
    if (outcome.damaged === undefined) return outcome;
    const damaged: Damaged = { ...outcome.damaged, others: [...inFlight].filter((other) => other !== own) };
    return { ...outcome, damaged };
  } finally {
    inFlight.delete(own);
  }
}

/** The record right before the write. */
async function readFirst(
  change: Update,
  shown: Settings,
  { service, www }: ExecutionContext,
): Promise<Sighting | NotDone> {
  try {
    const website = await reread(service, { ...change, before: shown });
    if (website === undefined) return vanished(change);
    if (!isNamed(website, change.domain, www())) {
      return notCarriedOut(strangerRefused(change, website.domain));
    }
    return freshSighting(website);
  } catch (error) {
    if (error instanceof ServiceError) return notCarriedOut(error);
    throw error;
  }
}
