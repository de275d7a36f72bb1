/** Runs one update (decision: "An update never changes what is not declared"): read, journal, send, compare, restore. */
import { allFields, type Update } from '../model/change.ts';
import { FIELDS, type FieldName, isMoreOpen, PRIVACY } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Effect } from '../model/run.ts';
import { ServiceError, type WriteValues } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { isNamed } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import { putBackForm, type Reading, readingOf, type UpdateForm } from '../planner/update-form.ts';
import type { Clock } from '../util/clock.ts';
import {
  type ChangeContext,
  type NotDone,
  notCarriedOut,
  orThrow,
  recordFailure,
  strangerFound,
  type Verdict,
  vanished,
  verdictOfError,
} from './change.ts';
import type { IndexedChange } from './file/write.ts';
import { changesShown, readRecord, showsAfter } from './records.ts';
import { goesAlone, learn } from './updates.ts';

/** In milliseconds. A write that waited longer since its reading reads again. */
const MAX_READING_AGE_MS = 1000;

interface Base extends Reading {
  /** When it was read, by the monotonic clock; missing if it is from the plan or an earlier check. */
  readonly at?: number;
}

/** Sends the update; returns 'alone', before anything is sent, if it must be the only one in flight and is not. */
export async function executeUpdate(
  item: IndexedChange<Update>,
  context: ChangeContext,
  isAlone: boolean,
): Promise<Verdict | 'alone'> {
  const { updates } = context;
  const older = updates.olderOf(item.change);
  if (!updates.readsFirst(older)) return attempt(item, older, context, isAlone);
  const base = await readNow(item.change, older, context);
  if ('outcome' in base) return base;
  const verdict = await attempt(item, base, context, isAlone);
  if (verdict !== 'alone') updates.meanwhile.push(...changedMeanwhile(item.change, older, base));
  return verdict;
}

function changedMeanwhile(change: Update, older: Reading, now: Reading): readonly Effect[] {
  const declared = [...Object.keys(allFields(change)), ...(change.kept ?? [])] as FieldName[];
  return changedBetween(change, declared, older, now);
}

async function readNow(change: Update, older: Reading, context: ChangeContext): Promise<Base | NotDone> {
  const { service, clock, names } = context;
  const at = clock.monotonic();
  try {
    const website = await readRecord(service, { ...change, before: older.settings });
    if (website === undefined) return vanished(change);
    return isNamed(website, change.domain, names())
      ? { ...readingOf(website), at }
      : strangerFound(change, website);
  } catch (error) {
    return orThrow(error, notCarriedOut);
  }
}

async function attempt(
  item: IndexedChange<Update>,
  base: Base,
  context: ChangeContext,
  isAlone: boolean,
): Promise<Verdict | 'alone'> {
  const { change } = item;
  const { updates } = context;
  if (base.at !== undefined && isAsDeclared(change, base)) return { outcome: 'found' };
  const form = updates.formOf(change, base);
  if (form.refusal !== undefined) return refused(change, form.refusal);
  if (!isAlone && goesAlone(form, base, updates)) return 'alone';
  const sent = await send(item, form, base, base, context, MAX_READING_AGE_MS);
  return sent.outcome === 'old' ? attemptAgain(item, form, base, sent.error, context) : sent;
}

/**
 * Repeats an update by a new reading, unless that shows it done. If nothing can show an unknown try, the reading before
 * that try stays the base for comparison.
 */
async function attemptAgain(
  item: IndexedChange<Update>,
  form: UpdateForm,
  base: Base,
  error: ServiceError,
  context: ChangeContext,
): Promise<Verdict> {
  const { change } = item;
  const again = await readNow(change, base, context);
  const isUnsent = error.outcome === 'refused';
  if ('outcome' in again) return isUnsent ? again : { outcome: 'unknown', error };
  const shown = changesShown(change, again.settings);
  if (isUnsent && isAsDeclared(change, again)) return { outcome: 'found' };
  if (!isUnsent && shown.length > 0 && shown.every(Boolean)) {
    const { id, domain } = change;
    return settle(change, base, form, { id, domain, ...again } as Website, context);
  }
  const next = context.updates.formOf(change, again);
  if (next.refusal !== undefined) return refused(change, next.refusal);
  const isUnclear = !isUnsent && shown.length === 0;
  const sent = await send(item, next, again, isUnclear ? base : again, context, Number.POSITIVE_INFINITY);
  return sent.outcome === 'old' ? { outcome: 'unknown', error } : sent;
}

/** A secret is never visible, so an update with one always has something to send. */
function isAsDeclared(change: Update, { settings }: Reading): boolean {
  const shown = changesShown(change, settings);
  const isEach = shown.length > 0 && shown.length === Object.keys(change.fields).length;
  const isKept = (name: FieldName): boolean => {
    const [was, is] = [change.before[name], settings[name]];
    return was !== undefined && is !== undefined && FIELDS[name].kind.equal(was, is);
  };
  return isEach && shown.every(Boolean) && (change.kept ?? []).every(isKept);
}

const DECLARE_BOTH =
  'Declare privacy and password of this website, or set "service.update" to "changed" in the file.';

const DECLARE_PRIVACY = 'Declare privacy of this website.';

const DECLARE_OR_OMIT =
  'Declare that setting, fix it on the service, or set "service.update" to "changed" in the file.';

function refused({ domain, unreadable = [] }: Update, what: NonNullable<UpdateForm['refusal']>): NotDone {
  const why = {
    password: 'its password is not declared, and this service is not known to keep it',
    privacy: 'its privacy is not declared, and this service closes a public website with an update',
    unreadable: `${unreadable.join(', ') || 'a setting'} cannot be read, and this service is not known to keep what an update omits`,
  };
  const remedies = { password: DECLARE_BOTH, privacy: DECLARE_PRIVACY, unreadable: DECLARE_OR_OMIT };
  return recordFailure(`Cannot update ${domain}: ${why[what]}.`, remedies[what]);
}

/** The write waited too long after its reading; `error.outcome` says if an earlier try may have been carried out. */
interface Old {
  readonly outcome: 'old';
  readonly error: ServiceError;
}

/** Journals and sends the update by `seen`, not older than `oldestMs`, and compares with `base`. */
async function send(
  item: IndexedChange<Update>,
  form: UpdateForm,
  seen: Base,
  base: Base,
  context: ChangeContext,
  oldestMs: number,
): Promise<Verdict | Old> {
  const { change } = item;
  const { service, clock, values } = context;
  const sent = values.ofUpdate(change, form, seen.settings);
  const age = limitAge(change, seen.at, oldestMs, clock);
  if (!(await context.begin(item, base))) return { outcome: 'withdrawn' };
  try {
    const website = await service.update(change.id, change.domain, sent, age.permit);
    return website === 'vanished' ? vanished(change) : await settle(change, base, form, website, context);
  } catch (thrown) {
    return orThrow<Verdict | Old | Promise<Verdict>>(thrown, (error) => {
      if (age.isExceeded()) return { outcome: 'old', error };
      const verdict = asPasswordMissing(change, sent, error) ?? verdictOfError(error);
      return verdict ?? confirm(change, base, form, error, context);
    });
  }
}

function limitAge({ domain }: Update, at: number | undefined, oldestMs: number, clock: Clock) {
  let isOld = false;
  const details = { outcome: 'refused', blame: 'service', attempts: 0 } as const;
  return {
    permit(): Promise<void> | undefined {
      isOld = at !== undefined && clock.monotonic() - at > oldestMs;
      if (!isOld) return undefined;
      const message = `The update of ${domain} waited too long.`;
      return Promise.reject(new ServiceError('service-failed', message, details));
    },
    isExceeded: () => isOld,
  };
}

/** The privacy that was sent as read needs a password, and none is declared. */
function asPasswordMissing(
  { fields, alongside }: Update,
  sent: WriteValues,
  error: ServiceError,
): NotDone | undefined {
  const isDeclared = fields.privacy !== undefined || (fields.password ?? alongside.password) !== undefined;
  if (isDeclared || sent.privacy !== PRIVACY.password || !('password' in error.fields)) return undefined;
  return {
    outcome: 'failed',
    error: new ServiceError(error.code, error.message, { ...error, remedy: DECLARE_BOTH }),
  };
}

async function confirm(
  change: Update,
  base: Base,
  form: UpdateForm,
  error: ServiceError,
  context: ChangeContext,
): Promise<Verdict> {
  try {
    const website = await context.service.read(change.id);
    if (website === undefined) return vanished(change);
    if (showsAfter(change, website) !== true) return { outcome: 'unknown', error };
    const note = 'its answer was lost; the record shows it';
    return await settle(change, base, form, website, context, note);
  } catch (second) {
    return orThrow(second, (failure) => ({
      outcome: 'unknown',
      error: failure.code === 'key-refused' || failure.code === 'id-mismatch' ? failure : error,
    }));
  }
}

/** Compares the record before and after, and restores what the update reset. */
async function settle(
  change: Update,
  base: Base,
  form: UpdateForm,
  website: Website | undefined,
  context: ChangeContext,
  note?: string,
): Promise<Verdict> {
  const { declared } = form;
  const done = { outcome: 'done', id: change.id, ...(note === undefined ? {} : { note }) } as const;
  const after = await readAfter(change, base, website, context);
  if (after === undefined) return { ...done, last: { ...base, declared, isAfter: false } };
  const effects = changedBetween(change, declared, base, after);
  const last = effects.length === 0 ? after : await restore(change, base, form, after, effects, context);
  if (base.at !== undefined) learn(form, base, effects, context.updates);
  return { ...done, last: { ...readingOf(last), declared, isAfter: true } };
}

/**
 * Returns the response if it shows the change and all that had a value before; otherwise a reading that shows the
 * change. A password that it no longer shows is no longer set.
 */
async function readAfter(
  change: Update,
  base: Base,
  answer: Website | undefined,
  { service, names }: ChangeContext,
): Promise<Website | undefined> {
  const filled = (Object.keys(base.settings) as FieldName[]).filter(
    (name) => !isEmpty(base.settings[name] ?? null),
  );
  const isWhole =
    filled.every((name) => answer?.settings[name] !== undefined) &&
    (base.passwordSet !== true || answer?.passwordSet !== undefined);
  if (answer !== undefined && isWhole && changesShown(change, answer.settings).some(Boolean)) return answer;
  try {
    const website = await readRecord(service, { ...change, before: base.settings });
    if (website === undefined || !isNamed(website, change.domain, names())) return undefined;
    const shown = changesShown(change, website.settings);
    if (shown.length > 0 && !shown.some(Boolean)) return undefined;
    return base.passwordSet === true ? { passwordSet: false, ...website } : website;
  } catch (error) {
    return orThrow(error, () => undefined);
  }
}

const PIN_IS_WRONG =
  'an update reset a setting that it omitted, although "service.update" is "changed" (remove that pin)';

/**
 * Restores, once, what the update reset; other changes are side effects. A difference from an older reading may be an
 * edit by others, and is restored only if it opened the website. Returns what the record showed last.
 */
async function restore(
  change: Update,
  base: Base,
  { leftOut }: UpdateForm,
  after: Website,
  effects: readonly Effect[],
  context: ChangeContext,
): Promise<Website> {
  const { updates } = context;
  const isFresh = base.at !== undefined;
  const isMended = ({ field, before, after: is }: Effect): boolean => {
    if (!leftOut.includes(field)) return false;
    if (field !== 'privacy') return isFresh;
    // A website that was behind a password stays closed without one.
    return isMoreOpen(is, before) || (isFresh && before === PRIVACY.password && after.passwordSet === true);
  };
  const reset = effects.filter(isMended);
  updates.addSideEffects(effects.filter((effect) => !isMended(effect)));
  updates.seen.doubted ||= !isFresh;
  const isProven = reset.length > 0 || (isFresh && effects.some(({ field }) => leftOut.includes(field)));
  const last = reset.length === 0 ? after : await putBack(change, base, after, reset, context);
  if (isProven && updates.rule === 'changed') updates.stop({ cause: 'pin', reason: PIN_IS_WRONG });
  return last;
}

/** Writes once; after a wait, by a new reading. Returns what the record showed last. */
async function putBack(
  change: Update,
  base: Base,
  after: Website,
  reset: readonly Effect[],
  context: ChangeContext,
  oldestMs = MAX_READING_AGE_MS,
): Promise<Website> {
  const { service, updates, values, clock } = context;
  const names = reset.map(({ field }) => field);
  const write = putBackForm(change, base.settings, after, names, service.traits.wireNames);
  if (write === undefined) {
    updates.addSideEffects(reset);
    return after;
  }
  const age = limitAge(change, clock.monotonic(), oldestMs, clock);
  try {
    const sent = values.ofUpdate(change, write.form, write.settings);
    const answer = await service.update(change.id, change.domain, sent, age.permit);
    const isEnough = answer !== 'vanished' && reset.every(isBack(answer));
    const back = isEnough ? answer : await readRecord(service, { ...change, before: base.settings });
    updates.restored.push(...reset.filter(isBack(back)));
    updates.addSideEffects(reset.filter((effect) => !isBack(back)(effect)));
    const moved = back ? changedBetween(change, [...write.form.declared, ...names], after, back) : [];
    updates.addSideEffects(moved);
    return back ?? after;
  } catch (error) {
    return orThrow(error, () => {
      if (age.isExceeded()) return putBackLater(change, base, after, reset, context);
      updates.addSideEffects(reset);
      return after;
    });
  }
}

/** Keeps and reports the edits of others since the write. */
async function putBackLater(
  change: Update,
  base: Base,
  after: Website,
  reset: readonly Effect[],
  context: ChangeContext,
): Promise<Website> {
  const { updates } = context;
  const now = await readNow(change, base, context);
  if ('outcome' in now) {
    updates.addSideEffects(reset);
    return after;
  }
  const { id, domain } = change;
  const website = { id, domain, ...now } as Website;
  const back = reset.filter(isBack(website));
  updates.restored.push(...back);
  const moved = changedMeanwhile(change, readingOf(after), now);
  updates.meanwhile.push(...moved.filter(({ field }) => !back.some((effect) => effect.field === field)));
  const open = reset.filter(({ field }) => moved.every((effect) => effect.field !== field));
  if (open.length === 0) return website;
  return putBack(change, base, website, open, context, Number.POSITIVE_INFINITY);
}

function isBack(website: Website | undefined) {
  return ({ field, before }: Effect): boolean => {
    const is = website?.settings[field];
    return is !== undefined && FIELDS[field].kind.equal(before, is);
  };
}
