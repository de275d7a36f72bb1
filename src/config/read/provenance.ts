/** Where each value of a record comes from: the record itself, the groups around it, or the top of the files. */
import { FIELD_NAMES, type FieldName } from '../../model/field-table.ts';
import type { Provenance } from '../../model/website.ts';
import { fieldOf } from '../schema/keys.ts';
import type { DeclaredGroup } from './groups.ts';
import type { Origin } from './record-places.ts';
import type { Path } from './source.ts';
import type { Top } from './top-level.ts';
import { isMap, type Mapping, placeOf, type Scope } from './validate.ts';

/** A level as it is written; `values` is the key of its values, and a record has none. */
interface WrittenLevel {
  readonly level: Provenance['level'];
  readonly group?: string;
  readonly scope: Scope;
  readonly path: Path;
  readonly map: Mapping;
  readonly values?: 'defaults';
}

/** What the files say of each field of a record, by the nearest level that names it. */
export function provenanceOf(
  origin: Origin,
  group: string | undefined,
  groups: ReadonlyMap<string, DeclaredGroup>,
  tops: readonly Top[],
): readonly Provenance[] {
  const levels = [...levelsAround(origin, group, groups, tops)];
  return FIELD_NAMES.flatMap((field) => {
    for (const level of levels) {
      const path = namedIn(level, field);
      if (path === undefined) continue;
      const { scope, group: name } = level;
      const place = placeOf(scope, path);
      const named = name === undefined ? {} : { group: name };
      return [{ field, level: level.level, ...named, place }];
    }
    return [];
  });
}

function* levelsAround(
  { scope, path, written }: Origin,
  group: string | undefined,
  groups: ReadonlyMap<string, DeclaredGroup>,
  tops: readonly Top[],
): Generator<WrittenLevel> {
  const raw = written();
  if (isMap(raw)) yield { level: 'record', scope, path, map: raw };
  for (let name = group; name !== undefined; name = groups.get(name)?.parent) {
    const written = groups.get(name)?.written;
    if (written !== undefined) yield { level: 'group', group: name, ...written, values: 'defaults' };
  }
  for (const top of tops) {
    yield {
      level: 'file',
      scope: top.scope,
      path: [],
      map: { defaults: top.defaults.map },
      values: 'defaults',
    };
  }
}

function namedIn({ path, map, values }: WrittenLevel, field: FieldName): Path | undefined {
  const part = values === undefined ? map : map[values];
  const key = isMap(part) ? Object.keys(part).find((one) => fieldOf(one) === field) : undefined;
  return key === undefined ? undefined : [...path, ...(values === undefined ? [] : [values]), key];
}
