/** Updates one record: reads, sends, compares, restores (decision: "An update never changes what is not declared"). */
import type { Update } from '../model/change.ts';
import { type FieldName, isMoreOpen, PRIVACY } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import { strangerRefused } from '../model/identity.ts';
import type { Effect, Shows } from '../model/run.ts';
import { NOT_SENT, ServiceError } from '../model/service.ts';
import { sameValue } from '../planner/diff.ts';
import { isNamed } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import { putBackForm, type Reading, type UpdateForm } from '../planner/update-form.ts';
import {
  type ChangeContext,
  type Ended,
  isUnclear,
  outcomeOf,
  readUnclear,
  recordFailure,
  vanished,
  withOutcome,
} from './context.ts';
import type { IndexedChange } from './file/write.ts';
import { changesShown, readRecord, type WantedFields } from './readings.ts';

/** Maximum age in milliseconds of a reading. If a write has waited longer, the record is read again. */
const MAX_READING_AGE_MS = 1000;

interface Base extends Reading {
  /** Time of the reading by the monotonic clock. Missing if the values are from the plan or an earlier check. */
  readonly at?: number;
}

interface Known extends IndexedChange<Update> {
  readonly seen: Base;
  /** The reading to compare with: after an unknown outcome, the one before that attempt. */
  readonly base: Base;
  /** The error of an earlier attempt that may have been applied. */
  readonly lost?: ServiceError | undefined;
  readonly isAgain?: true;
}

type Try = Known & { readonly form: UpdateForm };

/** Reads the record if the update rule requires it. Waits if this update must be the only one in flight. */
export async function executeUpdate(item: IndexedChange<Update>, context: ChangeContext): Promise<Ended> {
  const { change } = item;
  const { updates } = context;
  const older = updates.olderOf(change);
  for (let known: Base = older; ; ) {
    const endTurn = await updates.turnFor(change, known);
    try {
      await context.permit();
      const now = updates.readsFirst(older) ? await readNow(change, older, context) : older;
      if (now === undefined) throw vanished(change);
      known = now;
      // The new reading may show more values than the plan, so the update may have to go alone.
      if (endTurn === undefined && updates.goesAlone(change, known)) continue;
      updates.meanwhile.push(...changedBetween(change, older, known));
      return await send({ ...item, seen: known, base: known }, context);
    } finally {
      endTurn?.();
    }
  }
}

/** Returns `undefined` if the record is gone. Errors get the outcome `refused`, because a reading writes nothing. */
async function readNow(
  change: Update,
  older: Reading,
  { service, clock, names }: ChangeContext,
): Promise<Base | undefined> {
  const at = clock.monotonic();
  const website = await readRecord(service, change, wantedOf(change, older)).catch((error) => {
    throw withOutcome(error, 'refused');
  });
  if (website === undefined) return undefined;
  if (!isNamed(website, change.domain, names())) throw strangerRefused(change, website.domain);
  const { settings, passwordSet, unreadable = {} } = website;
  return { settings, passwordSet, unreadable: Object.keys(unreadable) as FieldName[], at };
}

function wantedOf({ password_set }: Update, { settings: before }: Reading): WantedFields {
  return { before, password_set };
}

/** After too long a wait, reads the record again and sends the update only if it is still needed. */
async function send(known: Known, context: ChangeContext): Promise<Ended> {
  const { change, seen, base, isAgain } = known;
  const { service, updates, values } = context;
  if (seen.at !== undefined && isAsDeclared(change, seen)) return { id: change.id, note: { code: 'found' } };
  const form = updates.formOf(change, seen);
  if (form.refusal !== undefined) throw refusedForm(change, form.refusal);
  const tried = { ...known, form };
  const sent = values.ofUpdate(change, form, seen.settings);
  const age = limitAge(isAgain ? undefined : seen.at, context);
  try {
    await context.begin(known, base);
    const website = await service.update(change.id, change.domain, sent, age.permit);
    if (website === 'vanished') throw vanished(change);
    return await finish(tried, website, context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return recover(tried, error, { isOld: age.isExceeded(), context });
  }
}

/** Reads the record again: after a lost response, the update may be done. After only a long wait, sends it again. */
async function recover(
  tried: Try,
  error: ServiceError,
  { isOld, context }: { readonly isOld: boolean; readonly context: ChangeContext },
): Promise<Ended> {
  const { change, seen } = tried;
  const lost = outcomeOf(error) === 'not_attempted' ? tried.lost : error;
  const isUnknown = isUnclear(lost);
  if (!isUnknown && !isOld) throw error;
  const read = () => readNow(change, seen, context);
  const again = await (isUnknown ? readUnclear(lost, read) : read());
  if (again === undefined) throw vanished(change);
  const shown = changesShown(change, again.settings);
  const isApplied = isUnknown && shown.length > 0 && shown.every(Boolean);
  if (isApplied) return { ...(await finish(tried, again, context)), note: { code: 'applied' } };
  if (!isOld) throw lost;
  const base = isUnknown && shown.length === 0 ? tried.base : again;
  return send({ ...tried, seen: again, base, lost: isUnknown ? lost : undefined, isAgain: true }, context);
}

/** True if the record already shows the update. An update with a secret, which is never shown, is always sent. */
function isAsDeclared(change: Update, { settings }: Reading): boolean {
  const shown = changesShown(change, settings);
  const isEach = shown.length > 0 && shown.length === Object.keys(change.fields).length;
  const isKept = (name: FieldName): boolean => sameValue(name, change.before[name], settings[name]);
  return isEach && shown.every(Boolean) && (change.kept ?? []).every(isKept);
}

function refusedForm(
  { domain, unreadable = [] }: Update,
  refusal: NonNullable<UpdateForm['refusal']>,
): ServiceError {
  if (refusal === 'privacy') {
    const why = 'its privacy is not declared, and this service closes a public website with an update';
    return recordFailure(`Cannot update ${domain}: ${why}.`, 'Declare privacy of this website.');
  }
  const [what, fix] =
    refusal === 'password'
      ? ['its password', 'privacy and password of this website']
      : [unreadable.join(', ') || 'a setting', 'that setting'];
  return recordFailure(
    `Cannot update ${domain}: ${what} cannot be sent, and this service is not known to keep what an update omits.`,
    `Declare ${fix}, or set "service.update" to "changed" in the file.`,
  );
}

/** Permits a write while the reading from `at` is recent enough. Otherwise `isExceeded` returns true. */
function limitAge(at: number | undefined, { clock, permit }: Pick<ChangeContext, 'clock' | 'permit'>) {
  let isOld = false;
  return {
    permit(): Promise<void> | undefined {
      isOld = at !== undefined && clock.monotonic() - at > MAX_READING_AGE_MS;
      if (!isOld) return permit();
      return Promise.reject(new ServiceError('service-failed', 'The update waited too long.', NOT_SENT));
    },
    isExceeded: () => isOld,
  };
}

async function finish(tried: Try, answer: Shows, context: ChangeContext): Promise<Ended> {
  const { change, base, form } = tried;
  const { declared } = form;
  const after = await readAfter(tried, answer, context);
  if (after === undefined) return { id: change.id, last: { ...base, declared, isAfter: false } };
  const effects = changedBetween(change, base, after, declared);
  const last = effects.length === 0 ? after : await restore(tried, after, effects, context);
  if (base.at !== undefined) context.updates.learn(form, base, effects);
  const { settings, passwordSet } = last;
  return { id: change.id, last: { settings, passwordSet, declared, isAfter: true } };
}

/**
 * Returns the response if it shows the change and every value that was set before. Otherwise reads the record, and
 * returns it if it shows the change. A password that is no longer shown counts as removed.
 */
async function readAfter(
  { change, base }: Try,
  answer: Shows,
  { service, names }: ChangeContext,
): Promise<Shows | undefined> {
  const isShown = (name: FieldName): boolean =>
    isEmpty(base.settings[name] ?? null) || answer.settings[name] !== undefined;
  const isWhole =
    (Object.keys(base.settings) as FieldName[]).every(isShown) &&
    (base.passwordSet !== true || answer.passwordSet !== undefined);
  if (isWhole && changesShown(change, answer.settings).some(Boolean)) return answer;
  const website = await readRecord(service, change, wantedOf(change, base)).catch(unlessBug);
  if (website === undefined || !isNamed(website, change.domain, names())) return undefined;
  const shown = changesShown(change, website.settings);
  if (shown.length > 0 && !shown.some(Boolean)) return undefined;
  return base.passwordSet === true ? { passwordSet: false, ...website } : website;
}

function unlessBug(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

/**
 * Restores, once, what the update reset; other changes are side effects. If the earlier reading is old, a
 * difference may be an edit by others, so it is restored only if it made the website more open.
 */
async function restore(
  tried: Try,
  after: Shows,
  effects: readonly Effect[],
  context: ChangeContext,
): Promise<Shows> {
  const { updates } = context;
  const { leftOut } = tried.form;
  const isFresh = tried.base.at !== undefined;
  const isReset = ({ field, before, after: is }: Effect): boolean => {
    if (!leftOut.includes(field)) return false;
    if (field !== 'privacy') return isFresh;
    // If a website with a password lost it, restoring privacy would change nothing useful: the website stays closed.
    return isMoreOpen(is, before) || (isFresh && before === PRIVACY.password && after.passwordSet === true);
  };
  const reset = effects.filter(isReset);
  updates.addSideEffects(effects.filter((effect) => !isReset(effect)));
  updates.seen.differed ||= !isFresh;
  const isCertain = reset.length > 0 || (isFresh && effects.some(({ field }) => leftOut.includes(field)));
  const last = reset.length === 0 ? after : await putBack(tried, after, reset, context);
  if (isCertain && updates.rule === 'changed') context.stop({ code: 'pin-wrong' });
  return last;
}

/** Writes the values once. After too long a wait, reads again, and keeps and reports edits by others. */
async function putBack(
  { change, base }: Try,
  first: Shows,
  effects: readonly Effect[],
  context: ChangeContext,
): Promise<Shows> {
  const { service, updates, values, clock } = context;
  let [now, left] = [first, effects];
  for (let at: number | undefined = clock.monotonic(); left.length > 0; at = undefined) {
    const names = left.map(({ field }) => field);
    const shown = { before: base.settings, now, reset: names };
    const write = putBackForm(change, shown, service.traits.wireNames);
    if (write === undefined) break;
    // Always permitted: settings that were reset are restored even if the run has stopped.
    const age = limitAge(at, { clock, permit: () => undefined });
    try {
      const sent = values.ofUpdate(change, write.form, write.settings);
      const answer = await service.update(change.id, change.domain, sent, age.permit);
      const isEnough = answer !== 'vanished' && left.every(isBack(answer));
      const back = isEnough ? answer : await readRecord(service, change, wantedOf(change, base));
      updates.restored.push(...left.filter(isBack(back)));
      updates.addSideEffects(left.filter((effect) => !isBack(back)(effect)));
      if (back === undefined) return now;
      updates.addSideEffects(changedBetween(change, now, back, [...write.form.declared, ...names]));
      return back;
    } catch (error) {
      unlessBug(error);
      const again = age.isExceeded() && (await readNow(change, base, context).catch(unlessBug));
      if (!again) break;
      left = leftToPutBack(left, changedBetween(change, now, again), again, updates);
      now = again;
    }
  }
  updates.addSideEffects(left);
  return now;
}

/** Records what is restored already and what others have edited since, and returns the other effects. */
function leftToPutBack(
  effects: readonly Effect[],
  moved: readonly Effect[],
  again: Shows,
  { restored, meanwhile }: ChangeContext['updates'],
): readonly Effect[] {
  const back = effects.filter(isBack(again));
  restored.push(...back);
  meanwhile.push(...moved.filter(({ field }) => back.every((effect) => effect.field !== field)));
  return effects.filter(({ field }) => moved.every((effect) => effect.field !== field));
}

function isBack(website: Shows | undefined) {
  return ({ field, before }: Effect): boolean => sameValue(field, before, website?.settings[field]);
}
