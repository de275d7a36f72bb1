/** What the answers show of a service's ways, gathered while they come in. */
import { FIELD_NAMES, FIELDS, type FieldName } from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WriteValues } from '../model/service.ts';
import type { Shown } from './decode-settings.ts';

export interface Learner {
  readonly traits: Traits;
  /** Takes in what records of a list, an answer to a read, or one to a write showed. */
  learn(shown: Shown, from: 'list' | 'read' | 'write'): void;
  /** Takes in the values of a write that was carried out. */
  noteSent(values: WriteValues): void;
}

/** `pinned` wire names hold whatever the answers show. */
export function startLearning(pinned: Traits['wireNames']): Learner {
  let wireNames = pinned;
  const seen = { list: new Set<FieldName>(), read: new Set<FieldName>(), write: new Set<FieldName>() };
  const readEmpty = new Set<FieldName>();
  const sent = new Set<FieldName>();
  /** Records may share what they show, which is then nothing new. */
  const known = { list: new WeakSet<Shown>(), read: new WeakSet<Shown>(), write: new WeakSet<Shown>() };
  return {
    traits: {
      get wireNames() {
        return wireNames;
      },
      listed: seen.list,
      read: seen.read,
      readEmpty,
      sent,
    },
    noteSent(values) {
      for (const [name, value] of Object.entries(values) as [FieldName, WriteValues[FieldName]][]) {
        if (value !== undefined && (value instanceof Secret || !isEmpty(value))) sent.add(name);
      }
    },
    learn(shown, from) {
      if (known[from].has(shown)) return;
      known[from].add(shown);
      const { settings, wireNames: names } = shown;
      for (const [name, value] of Object.entries(settings) as [FieldName, Value][]) {
        seen[from].add(name);
        if (from === 'read' && isEmpty(value) && !isPresence(name, names)) readEmpty.add(name);
      }
      const next = { ...wireNames, ...names, ...pinned };
      // What was made for these names is kept for as long as they are the same.
      if (FIELD_NAMES.some((name) => next[name] !== wireNames[name])) wireNames = next;
    },
  };
}

/** A presence is shown as false where it is none, by whoever leaves out what holds nothing, too. */
function isPresence(name: FieldName, wireNames: Traits['wireNames']): boolean {
  return wireNames[name] !== undefined && wireNames[name] === FIELDS[name].presenceKey;
}
