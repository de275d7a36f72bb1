import { FIELD_NAMES, type FieldName } from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WriteValues } from '../model/service.ts';
import { isPresence, type Shown, shareShown } from './decode.ts';

type From = 'list' | 'read' | 'write';

export type Learner = ReturnType<typeof startLearning>;

/** If `favorite` is set, responses cannot change that form. */
export function startLearning(favorite: 'favorited_at' | 'favorite' | undefined) {
  const pinned: Traits['wireNames'] = favorite === undefined ? {} : { favorited_at: favorite };
  const listed = new Set<FieldName>();
  const read = new Set<FieldName>();
  const readEmpty = new Set<FieldName>();
  const sent = new Set<FieldName>();
  const traits = { wireNames: pinned, listed, read, readEmpty, sent };

  function learn({ settings, wireNames }: Shown, from: From): void {
    for (const [name, value] of Object.entries(settings) as [FieldName, Value][]) {
      if (from === 'list') listed.add(name);
      if (from !== 'read') continue;
      read.add(name);
      // A presence that is empty shows as false, also on a service that omits empty values.
      if (isEmpty(value) && !isPresence(name, wireNames[name])) readEmpty.add(name);
    }
    const next = { ...traits.wireNames, ...wireNames, ...pinned };
    // Keeps the object while the names are the same: others cache by it.
    if (FIELD_NAMES.some((name) => next[name] !== traits.wireNames[name])) traits.wireNames = next;
  }
  const showing = (from: From) => shareShown(pinned, (shown) => learn(shown, from));

  return {
    traits: traits as Traits,
    shown: { list: showing('list'), read: showing('read'), write: showing('write') },
    noteSent(values: WriteValues): void {
      for (const [name, value] of Object.entries(values) as [FieldName, WriteValues[FieldName]][]) {
        if (value !== undefined && (value instanceof Secret || !isEmpty(value))) sent.add(name);
      }
    },
  };
}
