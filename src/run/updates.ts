/** Shared by the updates of a run: what they saw the service do, and side effects. */
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
  /** An omitted text or list that was not empty stayed; an omitted number or boolean that was not zero. */
  text: boolean;
  number: boolean;
  /** An omitted privacy of public stayed. */
  public: boolean;
  reset: boolean;
  /** An update reset an omitted privacy of public. */
  closed: boolean;
  /** Pin `changed`: the record of an update was read before, and nothing was reset. */
  tried: boolean;
  /** Pin `changed`: a response differed from an older reading. */
  doubted: boolean;
}

export interface Updates {
  readonly rule: UpdateRule;
  readonly seen: SeenUpdates;
  readonly restored: Effect[];
  readonly sideEffects: readonly Effect[];
  /** Differences between the plan and the reading before the write: edits by others. */
  readonly meanwhile: Effect[];
  /** Journals them, since a killed run reports none. */
  addSideEffects(effects: readonly Effect[]): void;
  stop(stop: Stop): void;
  /** The last known values of a record that this run has not read. */
  olderOf(change: Update): Reading;
  /**
   * If the write needs a reading right before. With the pin `changed`, the list replaces it once an update has shown
   * that it may, unless the list hides what the update could change.
   */
  readsFirst(older: Reading): boolean;
  formOf(change: Update, reading: Reading): UpdateForm;
}

export interface UpdatesOptions {
  readonly rule: UpdateRule;
  readonly traits: () => Traits;
  readonly stop: (stop: Stop) => void;
  readonly file: Pick<RunFile, 'sideEffects'>;
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

/** If no other update may be in flight meanwhile: what this one shows decides on the rest. */
export function goesAlone({ leftOut }: UpdateForm, { settings }: Shows, { rule, seen }: Updates): boolean {
  if (rule === 'changed') return !seen.tried;
  const isPublic = leftOut.includes('privacy') && settings.privacy === PRIVACY.public;
  if (isPublic && !seen.public && !seen.closed) return true;
  const isSettled = seen.text || seen.number || seen.reset || rule === 'full';
  return !isSettled && leftOut.some((name) => isConclusive(name, settings));
}

/** A zero may be the value that a service resets to; privacy says nothing about other settings. */
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

/** Runs updates that show how the service behaves first, one by one; risky ones last. */
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
    // Their records show more now than the plan did.
    for (const one of await run(some, false)) await run([one], true);
  }
}
