/** What a record of an answer shows of its settings. */
import {
  FIELDS,
  type FieldName,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import { Mismatch } from '../model/field-types.ts';
import type { Traits } from '../model/service.ts';
import type { Unreadable } from '../model/website.ts';
import { createMemory } from '../util/memoize.ts';
import { REPEATED_KEY } from './shape.ts';

/** Settings, and the wire names that they are shown under. */
export interface Shown {
  readonly settings: Settings;
  /** Missing where everything can be read. */
  readonly unreadable?: Unreadable;
  readonly wireNames: Traits['wireNames'];
}

type Raw = Record<string, unknown>;

export type ReadShown = (raw: Raw) => Shown;

/** `pinned` wire names hold whatever the record shows: a time of what is sent as a presence is no more than one. */
export function decodeShown(raw: Raw, pinned: Traits['wireNames'] = {}): Shown {
  const settings: SettingsDraft = {};
  const wireNames: { [Name in FieldName]?: string } = {};
  const unreadable: { [Name in FieldName]?: string } = {};
  for (const name of READABLE_NAMES) {
    const wire = FIELDS[name].wire.find((candidate) => candidate in raw);
    if (wire === undefined) continue;
    wireNames[name] = wire;
    try {
      const value = FIELDS[name].kind.readAnswer(raw[wire]);
      const isPresence = typeof value === 'string' && FIELDS[name].presenceKey === (pinned[name] ?? wire);
      if (value !== undefined) settings[name] = isPresence || value;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      unreadable[name] = `${shapeOf(raw[wire])} (${error.message})`;
    }
  }
  return { settings, wireNames, ...(Object.keys(unreadable).length > 0 && { unreadable }) };
}

/** What kind of a value it is; the value itself is not told. */
export function shapeOf(value: unknown): string {
  if (value === REPEATED_KEY) return 'a text that repeats the API key';
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { object: 'an object', string: 'a text', number: 'a number' }[typeof value as string] ?? 'a boolean';
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
