/** What a record of an answer shows of its settings. */
import {
  FIELDS,
  type FieldName,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import type { Traits } from '../model/service.ts';
import { createMemory } from '../util/memoize.ts';
import { member } from './shape.ts';

/** Settings, and the wire names that they are shown under. */
export interface Shown {
  readonly settings: Settings;
  readonly wireNames: Traits['wireNames'];
}

type Raw = Record<string, unknown>;

/** Throws a ShapeError. */
export type ReadShown = (raw: Raw) => Shown;

/** `pinned` wire names hold whatever the record shows: a time of what is sent as a presence is no more than one. */
export function decodeShown(raw: Raw, pinned: Traits['wireNames'] = {}): Shown {
  const settings: SettingsDraft = {};
  const wireNames: { [Name in FieldName]?: string } = {};
  for (const name of READABLE_NAMES) {
    const wire = FIELDS[name].wire.find((candidate) => candidate in raw);
    if (wire === undefined) continue;
    const value = member(raw, wire, FIELDS[name].kind.readAnswer);
    const isPresence = typeof value === 'string' && FIELDS[name].presenceKey === (pinned[name] ?? wire);
    if (value !== undefined) settings[name] = isPresence || value;
    wireNames[name] = wire;
  }
  return { settings, wireNames };
}

const SHOWN_NAMES: readonly string[] = READABLE_NAMES.flatMap((name) => FIELDS[name].wire);

/** So many different settings are remembered. */
const MOST_REMEMBERED = 10_000;

/** Decodes as `decodeShown` does; records that show the same share what comes of it. */
export function shareShown(pinned: Traits['wireNames'] = {}): ReadShown {
  const memory = createMemory<Shown>(MOST_REMEMBERED);
  return (raw) => {
    const values = SHOWN_NAMES.map((name) => raw[name]);
    const known = memory.get(values);
    if (known !== undefined) return known;
    const shown = decodeShown(raw, pinned);
    memory.keep(values, shown);
    return shown;
  };
}
