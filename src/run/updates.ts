/** What the updates of a run share: what they saw the service do, and what happened to settings beside their own. */
import type { Update } from '../model/change.ts';
import { type FieldName, isNumeric, PRIVACY, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Effect, Shows } from '../model/run.ts';
import type { Traits } from '../model/service.ts';
import type { UpdateRule } from '../model/website.ts';
import {
  isRisky,
  type Reading,
  type UpdateForm,
  type UpdateView,
  updateForm,
} from '../planner/update-form.ts';
import type { RunFile } from './file/write.ts';
import type { Stop } from './tally.ts';

interface SeenUpdates {
  /** A value that was left out, and is neither empty nor a zero, stayed: of a text or list, of a number or boolean. */
  text: boolean;
  number: boolean;
  /** So did a privacy of public. */
  public: boolean;
  /** An update changed a setting that it left out. */
  reset: boolean;
  /** That was a privacy of public. */
  closed: boolean;
  /** With the pin `changed`: the record of an update was read before, and nothing was reset. */
  tried: boolean;
  /** With the pin `changed`: an answer differed from an older reading. */
  doubted: boolean;
}

export interface Updates {
  readonly rule: UpdateRule;
  readonly seen: SeenUpdates;
  readonly restored: Effect[];
  readonly sideEffects: readonly Effect[];
  /** Differences between the plan and the reading before the write: others made them. */
  readonly meanwhile: Effect[];
  /** Keeps side effects, and writes them down: a run that is killed reports none. */
  addSideEffects(effects: readonly Effect[]): void;
  stop(stop: Stop): void;
  /** What the record showed last, before this run reads it. */
  olderOf(change: Update): Reading;
  /**
   * Whether the record is read right before. By the pin `changed`, the list of this run is relied on once one update has
   * shown that it may be, if it hides nothing that the update could change.
   */
  readsFirst(older: Reading): boolean;
  formOf(change: Update, reading: Reading): UpdateForm;
}

export interface UpdatesOptions {
  readonly rule: UpdateRule;
  readonly traits: () => Traits;
  readonly stop: (stop: Stop) => void;
  readonly file: Pick<RunFile, 'sideEffects'>;
  /** What records showed when they were read again after the plan, by their ids. */
  readonly shown?: ReadonlyMap<string, Settings> | undefined;
}

export function createUpdates({ rule, traits, stop, file, shown }: UpdatesOptions): Updates {
  const sideEffects: Effect[] = [];
  const seen: SeenUpdates = {
    ...{ text: false, number: false, public: false },
    ...{ reset: false, closed: false, tried: false, doubted: false },
  };
  const view = (): UpdateView => ({
    rule,
    full: rule === 'full' || (rule === 'auto' && seen.reset),
    keepsAll: rule === 'auto' && seen.text && seen.number && !seen.reset,
    closes: seen.closed,
    wireNames: traits().wireNames,
  });
  return {
    ...{ rule, seen, stop, restored: [], sideEffects, meanwhile: [] },
    addSideEffects(effects) {
      sideEffects.push(...effects);
      file.sideEffects(effects);
    },
    olderOf({ id, before, password_set: passwordSet, unreadable }) {
      const settings = { ...before, ...shown?.get(id) };
      return passwordSet === undefined ? { settings, unreadable } : { settings, passwordSet, unreadable };
    },
    readsFirst({ settings }) {
      if (rule !== 'changed' || !seen.tried || seen.doubted) return true;
      const { listed } = traits();
      return READABLE_NAMES.some((name) => settings[name] === undefined && !listed.has(name));
    },
    formOf: (change, reading) => updateForm(change, reading, view()),
  };
}

/** Whether no other update may be in flight beside one: what it shows decides on the others. */
export function goesAlone({ leftOut }: UpdateForm, { settings }: Shows, { rule, seen }: Updates): boolean {
  if (rule === 'changed') return !seen.tried;
  const isPublic = leftOut.includes('privacy') && settings.privacy === PRIVACY.public;
  if (isPublic && !seen.public && !seen.closed) return true;
  const isSettled = seen.text || seen.number || seen.reset || rule === 'full';
  return !isSettled && leftOut.some((name) => isConclusive(name, settings));
}

/** A zero may be what a service resets to; who can see a website tells of nothing else. */
function isConclusive(name: FieldName, settings: Settings): boolean {
  const value = settings[name] ?? null;
  return name !== 'privacy' && !isEmpty(value) && value !== false && value !== 0;
}

export function learn(
  { leftOut }: UpdateForm,
  { settings }: Shows,
  effects: readonly Effect[],
  { seen }: Updates,
): void {
  const isOther = (name: FieldName): boolean => effects.some(({ field }) => field === name);
  for (const name of leftOut) {
    if (isOther(name)) seen.reset = true;
    else if (name === 'privacy') seen.public ||= settings.privacy === PRIVACY.public;
    else if (isConclusive(name, settings)) seen[isNumeric(name) ? 'number' : 'text'] = true;
  }
  if (isOther('password')) seen.reset = true;
  if (leftOut.includes('privacy') && isOther('privacy')) seen.closed ||= settings.privacy === PRIVACY.public;
  seen.tried = true;
}

/** Items of updates as they are to go: those that find something out, one by one, before the others; risky ones last. */
export async function inOrder<T extends { readonly change: Update }>(
  items: readonly T[],
  updates: Updates,
  run: (items: readonly T[], isAlone: boolean) => Promise<readonly T[]>,
): Promise<void> {
  const isFirst = ({ change }: T): boolean => {
    const older = updates.olderOf(change);
    return goesAlone(updates.formOf(change, older), older, updates);
  };
  let rest = items.filter(({ change }) => !isRisky(change));
  for (let next = rest.find(isFirst); next !== undefined; next = rest.find(isFirst)) {
    const one = next;
    rest = rest.filter((item) => item !== one);
    await run([one], true);
  }
  const risky = items.filter(({ change }) => isRisky(change));
  for (const some of [rest, risky]) {
    // Their records show more by now than the plan did.
    for (const one of await run(some, false)) await run([one], true);
  }
}
