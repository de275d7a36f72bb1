/** What the answers show of a service's ways, gathered while they come in. */
import type { FieldName } from '../core/fields.ts';
import type { Traits } from '../core/service.ts';
import type { DecodedRecord } from '../core/wire.ts';

export interface Learner {
  readonly traits: Traits;
  /** Takes in a record that a list, an answer to a read, or one to a write showed. */
  learn(record: DecodedRecord, from: 'list' | 'read' | 'write'): void;
}

/** `pinned` wire names hold whatever the answers show. */
export function startLearning(pinned: Traits['wireNames']): Learner {
  const wireNames: { [Name in FieldName]?: string } = { ...pinned };
  const shown = { list: new Set<FieldName>(), read: new Set<FieldName>(), write: new Set<FieldName>() };
  /** Records may share their settings, which then show nothing new. */
  const known = { list: new WeakSet<object>(), read: new WeakSet<object>(), write: new WeakSet<object>() };
  return {
    traits: { wireNames, listed: shown.list, read: shown.read },
    learn({ website, wireNames: names }, from) {
      if (known[from].has(website.settings)) return;
      known[from].add(website.settings);
      for (const name of Object.keys(website.settings) as FieldName[]) shown[from].add(name);
      Object.assign(wireNames, names, pinned);
    },
  };
}
