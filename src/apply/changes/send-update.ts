/** Sending one update, and what its answer shows of the settings that it left out. */

import type { Update } from '../../model/change.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Seen } from '../../model/run.ts';
import { ServiceError, type WriteValues } from '../../model/service.ts';
import type { Website } from '../../model/website.ts';
import { knowledgeKey } from '../../update/knowledge.ts';
import type { Sighting, UpdateForm } from '../../update/update-form.ts';
import { isAfter, showsAfter } from '../checks/is-applied.ts';
import { type Aftermath, aftermathOf, readAfter } from './aftermath.ts';
import { confirmByReading } from './confirm-by-reading.ts';
import type { ExecutionContext } from './context.ts';
import { type ChangeOutcome, type NotDone, outcomeOfError } from './outcome.ts';
import type { Damaged } from './restore.ts';
import { asPasswordMissing, vanished } from './update-failures.ts';
import type { UpdateItem, Updates } from './updates.ts';

export interface Outcome {
  readonly verdict: ChangeOutcome;
  /** What it reset, and has to be put back. */
  readonly damaged?: Damaged;
}

/**
 * `older` is what the record showed when the plan was made, `seen` what the update goes by. One that goes alone is a
 * trial: what it leaves out is written down before, and read afterwards.
 */
export async function sendUpdate(
  item: UpdateItem,
  older: Sighting,
  seen: Sighting,
  form: UpdateForm,
  context: ExecutionContext,
): Promise<Outcome> {
  const { change } = item;
  const { updates, values } = context;
  if (form.alone && !(await beginTrial(item, seen, form, updates))) return { verdict: { fate: 'withdrawn' } };
  const answered = await put(change, values.ofUpdate(change, form, seen.settings), context);
  if (answered.fate !== 'answered') {
    if (form.alone) endTrialInVain(item, answered, updates);
    return { verdict: answered };
  }
  const { website } = answered;
  const after = form.alone
    ? await readAfter(change, website, seen.settings, context)
    : website && isAfter(change, website)
      ? website
      : undefined;
  const damaged = after && judge(item, seen, form, after, updates);
  if (form.alone) endTrial(item, after, damaged, updates);
  const verdict = doneAs(change, form, answered, seenOf(older, seen, after));
  return damaged === undefined ? { verdict } : { verdict, damaged };
}

function doneAs(change: Update, { declared }: UpdateForm, { note }: Answered, seen: Seen): ChangeOutcome {
  const isWithheld = change.alongside.password !== undefined && !declared.includes('password');
  return {
    fate: 'done',
    id: change.id,
    ...(note === undefined ? {} : { note }),
    ...(isWithheld ? { isPasswordWithheld: true } : {}),
    seen,
  };
}

/** What is compared once more when the run is verified. */
function seenOf(older: Sighting, seen: Sighting, after: Website | undefined): Seen {
  return { older, ...(seen.isFresh ? { read: seen } : {}), ...(after === undefined ? {} : { after }) };
}

/** A trial that was not carried out has reset nothing, as far as that is known. */
function endTrialInVain(item: UpdateItem, { fate }: NotDone, { learning, settled }: Updates): void {
  learning.sawNothing();
  if (fate !== 'unknown') settled(item);
}

function endTrial(
  item: UpdateItem,
  after: Website | undefined,
  damaged: Damaged | undefined,
  { learning, settled }: Updates,
): void {
  if (after === undefined) learning.sawNothing();
  else if (damaged === undefined) settled(item);
}

/** Writes down what may have to be put back, and tells of what is tried. */
async function beginTrial(
  item: UpdateItem,
  { settings }: Sighting,
  { leftOut, learns }: UpdateForm,
  { owe, emit }: Updates,
): Promise<boolean> {
  const { domain, id } = item.change;
  if (!(await owe(item, settings, leftOut))) return false;
  if (learns.length > 0) emit({ type: 'trial_started', domain, id, fields: learns, settings });
  return true;
}

/** It was carried out, as the answer, or the record, shows. */
interface Answered {
  readonly fate: 'answered';
  readonly website?: Website | undefined;
  readonly note?: string | undefined;
}

async function put(
  change: Update,
  sent: WriteValues,
  context: ExecutionContext,
): Promise<Answered | NotDone> {
  try {
    const website = await context.service.update(change.id, change.domain, sent);
    return website === 'vanished' ? vanished(change) : { fate: 'answered', website };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (
      asPasswordMissing(change, sent, error) ??
      outcomeOfError(error) ??
      confirmByReading(change, error, context, (website) => tell(change, website))
    );
  }
}

/** What a record tells of an update whose answer was lost. */
function tell(change: Update, website: Website | undefined): Answered | NotDone | undefined {
  if (website === undefined) return vanished(change);
  if (showsAfter(change, website) !== true) return undefined;
  return { fate: 'answered', website, note: 'its answer was lost; the record shows it' };
}

/** Learns from what the update left out; returns what has to be put back. */
function judge(
  item: UpdateItem,
  seen: Sighting,
  form: UpdateForm,
  after: Website,
  { learning, rule, stop }: Updates,
): Damaged | undefined {
  const aftermath = aftermathOf(item.change, seen, form.leftOut, after);
  const { stayed, changed, lostPassword, confirms } = aftermath;
  if (!seen.isFresh) {
    // What differs from an older reading is taken for somebody's edit, which is not to be undone.
    if (changed.length > 0) learning.forget(changed);
    return undefined;
  }
  const reset = resetKeys(seen, aftermath);
  if (form.alone || reset.length > 0)
    learning.saw({ stays: form.alone ? stayed : [], reset }, form.alone && confirms);
  if (reset.length === 0) return undefined;
  if (rule === 'changed') stop({ cause: 'pin', reason: PIN_IS_WRONG });
  return { item, before: seen, after, reset: changed, lostPassword, others: [] };
}

function resetKeys({ settings }: Sighting, { changed, lostPassword }: Aftermath): readonly string[] {
  const keyOf = (name: FieldName): string =>
    name === 'privacy' ? name : knowledgeKey(name, settings[name] ?? null);
  return [...changed.map(keyOf), ...(lostPassword ? ['password'] : [])];
}

const PIN_IS_WRONG =
  'an update reset a setting that it omitted, although "service.update" is "changed" (remove that pin)';
