import { FIELD_NAMES } from '../../model/field-table.ts';
import type { DesiredWebsite, Provenance } from '../../model/website.ts';
import { fieldOf } from '../schema/keys.ts';
import type { DeclaredGroup } from './groups.ts';
import type { Path } from './source.ts';
import { isMap, type Mapping, type Scope, Spot } from './spot.ts';

export interface RecordSource {
  readonly scope: Scope;
  readonly path: Path;
  readonly raw: readonly unknown[] | undefined;
  /** Returns the row of a bulk file at an offset, as a map. */
  readonly rowAt?: (start: number) => Mapping | undefined;
}

export interface RecordOrigin {
  readonly scope: Scope;
  readonly path: Path;
  readonly raw: unknown;
  /** Returns the value as written. A row is read again. */
  readonly written: () => unknown;
  readonly isRow: boolean;
}

export type Declarations = ReturnType<typeof createDeclarations>;

export function createDeclarations() {
  const websites: DesiredWebsite[] = [];
  const lists: RecordSource[] = [];
  const places: number[] = [];
  const originOf = (index: number): RecordOrigin => {
    const at = places[index] as number;
    const { scope, path, raw: items, rowAt } = lists[index] as RecordSource;
    const raw = items?.[at];
    return { scope, path: [...path, at], raw, written: () => raw ?? rowAt?.(at), isRow: rowAt !== undefined };
  };
  return {
    websites: websites as readonly DesiredWebsite[],
    add(website: DesiredWebsite, list: RecordSource, at: number) {
      websites.push(website);
      lists.push(list);
      places.push(at);
    },
    originOf,
    domainAt(index: number): Spot {
      const { scope, path, raw } = originOf(index);
      return new Spot(scope, isMap(raw) ? [...path, 'domain'] : path);
    },
  };
}

interface Level extends Pick<Provenance, 'level' | 'group'> {
  readonly at: Spot;
  readonly map: unknown;
}

/** Returns the nearest level that declares each field of a record. `tops` are the defaults of the files. */
export function provenanceOf(
  { scope, path, written }: RecordOrigin,
  group: string | undefined,
  groups: ReadonlyMap<string, DeclaredGroup>,
  tops: readonly Omit<Level, 'level'>[],
): readonly Provenance[] {
  const levels: Level[] = [{ level: 'record', at: new Spot(scope, path), map: written() }];
  for (let name = group; name !== undefined; name = groups.get(name)?.parent) {
    const around = groups.get(name);
    if (around === undefined) continue;
    levels.push({ level: 'group', group: name, at: around.at.in('defaults'), map: around.map.defaults });
  }
  levels.push(...tops.map((top) => ({ level: 'file' as const, ...top })));
  return FIELD_NAMES.flatMap((field): Provenance[] => {
    for (const { at, map, ...level } of levels) {
      const key = isMap(map) ? Object.keys(map).find((one) => fieldOf(one) === field) : undefined;
      if (key !== undefined) return [{ field, ...level, place: at.in(key).place }];
    }
    return [];
  });
}
