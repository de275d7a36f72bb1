/** What a record of an answer shows of its settings. */
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from './fields.ts';
import type { Value } from './kinds.ts';
import { createMemory } from './memory.ts';
import type { Traits } from './service.ts';
import { member } from './shape.ts';

/** Settings, and the wire names that they are shown under. */
export interface Shown {
  readonly settings: Settings;
  readonly wireNames: Traits['wireNames'];
}

type Raw = Record<string, unknown>;

/** Throws a ShapeError. */
export type ReadShown = (raw: Raw) => Shown;

export const decodeShown: ReadShown = (raw) => {
  const settings: { [Name in FieldName]?: Value } = {};
  const wireNames: { [Name in FieldName]?: string } = {};
  for (const name of READABLE_NAMES) {
    const wire = FIELDS[name].wire.find((candidate) => candidate in raw);
    if (wire === undefined) continue;
    const value = member(raw, wire, FIELDS[name].kind.readAnswer);
    if (value !== undefined) settings[name] = value;
    wireNames[name] = wire;
  }
  return { settings, wireNames };
};

const SHOWN_NAMES: readonly string[] = READABLE_NAMES.flatMap((name) => FIELDS[name].wire);

/** So many different settings are remembered. */
const MOST_REMEMBERED = 10_000;

/** Decodes as `decodeShown` does; records that show the same share what comes of it. */
export function shareShown(): ReadShown {
  const memory = createMemory<Shown>(MOST_REMEMBERED);
  return (raw) => {
    const values = SHOWN_NAMES.map((name) => raw[name]);
    const known = memory.get(values);
    if (known !== undefined) return known;
    const shown = decodeShown(raw);
    memory.keep(values, shown);
    return shown;
  };
}
