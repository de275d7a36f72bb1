/** What a record of an answer shows of its settings. */
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from './fields.ts';
import type { Value } from './kinds.ts';
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

/** Where one value after the other leads to. */
interface Branch {
  readonly next: Map<unknown, Branch>;
  shown?: Shown;
}

/** What a list goes by, before its text: that is not to be taken for a value that is this text. */
const NESTED = Symbol('nested');

/** Decodes as `decodeShown` does; records that show the same share what comes of it, and cost little. */
export function shareShown(): ReadShown {
  const root: Branch = { next: new Map() };
  let left = MOST_REMEMBERED;

  function follow(branch: Branch | undefined, value: unknown): Branch | undefined {
    const known = branch?.next.get(value);
    if (known !== undefined || branch === undefined || left === 0) return known;
    const grown: Branch = { next: new Map() };
    branch.next.set(value, grown);
    return grown;
  }

  return (raw) => {
    let branch: Branch | undefined = root;
    for (const name of SHOWN_NAMES) {
      const value = raw[name];
      const isNested = typeof value === 'object' && value !== null;
      branch = isNested ? follow(follow(branch, NESTED), JSON.stringify(value)) : follow(branch, value);
    }
    if (branch?.shown !== undefined) return branch.shown;
    const shown = decodeShown(raw);
    if (branch !== undefined && left > 0) {
      branch.shown = shown;
      left -= 1;
    }
    return shown;
  };
}
