/** State that the updates of a run share: how the service treats omitted settings, and side effects. */
import type { Update } from '../model/change.ts';
import { type FieldName, isNumeric, PRIVACY, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Effect, Shows } from '../model/run.ts';
import type { WebsiteService } from '../model/service.ts';
import type { UpdateRule } from '../model/website.ts';
import { type Reading, type UpdateForm, updateForm } from '../planner/update-form.ts';
import type { RunFile } from './file/write.ts';

export type Updates = ReturnType<typeof createUpdates>;

/** `shown`: values that an earlier check of this run read, by ID. */
export function createUpdates(
  rule: UpdateRule,
  service: WebsiteService,
  file: Pick<RunFile, 'sideEffects'>,
  shown: ReadonlyMap<string, Settings> | undefined,
) {
  const seen = {
    /** The service kept an omitted text or list that was not empty. */
    text: false,
    /** The service kept an omitted number or boolean that was not zero. */
    number: false,
    /** The service kept an omitted privacy of public. */
    public: false,
    reset: false,
    /** An update reset an omitted privacy of public, which closed the website. */
    closed: false,
    /** One update was compared with a reading from right before it. */
    tried: false,
    /** Under `service.update: changed`, a response differed from an older reading. */
    differed: false,
  };
  const restored: Effect[] = [];
  const sideEffects: Effect[] = [];
  /** Differences between the plan and the reading before the write. Others made these edits. */
  const meanwhile: Effect[] = [];
  let alone: Promise<void> | undefined;

  function formOf(change: Update, reading: Reading): UpdateForm {
    return updateForm(change, reading, {
      rule: rule === 'auto' && seen.reset ? 'full' : rule,
      keepsAll: rule === 'auto' && seen.text && seen.number && !seen.reset,
      closes: seen.closed,
      wireNames: service.traits.wireNames,
    });
  }

  /** True if this update can show how the service treats omitted settings, and no update has shown that yet. */
  function goesAlone(change: Update, reading: Reading): boolean {
    if (rule === 'changed') return !seen.tried;
    const { settings } = reading;
    const isSettled = seen.text || seen.number || seen.reset || rule === 'full';
    const isOpen = settings.privacy === PRIVACY.public && !seen.public && !seen.closed;
    if (isSettled && !isOpen) return false;
    const { leftOut } = formOf(change, reading);
    if (isOpen && leftOut.includes('privacy')) return true;
    return !isSettled && leftOut.some((name) => isConclusive(name, settings));
  }

  return {
    ...{ rule, seen, restored, sideEffects, meanwhile, formOf, goesAlone },
    /** Also writes the side effects to the run file, since a killed run reports nothing. */
    addSideEffects(effects: readonly Effect[]): void {
      sideEffects.push(...effects);
      file.sideEffects(effects);
    },
    /** The last known values of a record that this run has not read. */
    olderOf({ id, before, password_set: passwordSet, unreadable }: Update): Reading {
      const read = shown?.get(id);
      return { settings: read === undefined ? before : { ...before, ...read }, passwordSet, unreadable };
    },
    /**
     * True if the record must be read right before the write. With `service.update: changed`, the list is enough once
     * one update was compared, unless the list hides a setting.
     */
    readsFirst({ settings }: Reading): boolean {
      if (rule !== 'changed' || !seen.tried || seen.differed) return true;
      const { listed } = service.traits;
      return READABLE_NAMES.some((name) => settings[name] === undefined && !listed.has(name));
    },
    /** Waits while another update goes alone. If this update must go alone, returns a function that ends its turn. */
    async turnFor(change: Update, reading: Reading): Promise<(() => void) | undefined> {
      while (alone !== undefined) await alone;
      if (!goesAlone(change, reading)) return undefined;
      let end = (): void => undefined;
      alone = new Promise((resolve) => (end = resolve));
      return () => {
        alone = undefined;
        end();
      };
    },
    learn({ leftOut }: UpdateForm, { settings }: Shows, effects: readonly Effect[]): void {
      const changed = effects.map(({ field }) => field);
      const isPublic = leftOut.includes('privacy') && settings.privacy === PRIVACY.public;
      const isReset = isPublic && changed.includes('privacy');
      const stayed = leftOut.filter((name) => !changed.includes(name));
      seen.tried = true;
      seen.reset ||= stayed.length < leftOut.length || changed.includes('password');
      seen.closed ||= isReset;
      seen.public ||= isPublic && !isReset;
      const conclusive = stayed.filter((name) => isConclusive(name, settings));
      seen.number ||= conclusive.some(isNumeric);
      seen.text ||= !conclusive.every(isNumeric);
    },
  };
}

/** A service may reset settings to zero or empty values, and privacy says nothing about other settings. */
function isConclusive(name: FieldName, settings: Settings): boolean {
  const value = settings[name] ?? null;
  return name !== 'privacy' && !isEmpty(value) && value !== false && value !== 0;
}
