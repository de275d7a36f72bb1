import { FIELD_NAMES } from '../../model/field-table.ts';
import type { DesiredWebsite, Provenance } from '../../model/website.ts';
import { fieldOf } from '../schema/keys.ts';
import type { DeclaredGroup } from './groups.ts';
import { isMap, type Spot } from './spot.ts';

/** A list of records in YAML, or the rows of a bulk file. */
export interface RecordSource {
  readonly at: Spot;
  /** Returns the record at an index or offset as written. A row is read again. */
  readonly rawAt: (at: number) => unknown;
}

export interface RecordOrigin {
  readonly at: Spot;
  readonly raw: () => unknown;
}

export type Declarations = ReturnType<typeof createDeclarations>;

export function createDeclarations() {
  const websites: DesiredWebsite[] = [];
  const lists: RecordSource[] = [];
  const places: number[] = [];
  return {
    websites: websites as readonly DesiredWebsite[],
    add(website: DesiredWebsite, list: RecordSource, at: number) {
      websites.push(website);
      lists.push(list);
      places.push(at);
    },
    originOf(index: number): RecordOrigin {
      const place = places[index] as number;
      const { at, rawAt } = lists[index] as RecordSource;
      return { at: at.in(place), raw: () => rawAt(place) };
    },
  };
}

interface Level extends Pick<Provenance, 'level' | 'group'> {
  readonly at: Spot;
  readonly map: unknown;
}

/** Returns the nearest level that declares each field of a record. `tops` are the defaults of the files. */
export function provenanceOf(
  { at, raw }: RecordOrigin,
  group: string | undefined,
  groups: ReadonlyMap<string, DeclaredGroup>,
  tops: readonly Omit<Level, 'level'>[],
): readonly Provenance[] {
  const levels: Level[] = [{ level: 'record', at, map: raw() }];
  for (let name = group; name !== undefined; name = groups.get(name)?.parent) {
    const around = groups.get(name);
    if (around === undefined) continue;
    levels.push({ level: 'group', group: name, at: around.at.in('defaults'), map: around.map.defaults });
  }
  levels.push(...tops.map((top) => ({ level: 'file' as const, ...top })));
  return FIELD_NAMES.flatMap((field): Provenance[] => {
    for (const { at: spot, map, ...level } of levels) {
      const key = isMap(map) ? Object.keys(map).find((one) => fieldOf(one) === field) : undefined;
      if (key !== undefined) return [{ field, ...level, place: spot.in(key).place }];
    }
    return [];
  });
}
