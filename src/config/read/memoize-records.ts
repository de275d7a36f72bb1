/** Records that declare the same share their settings: only the first of them is read in full. */
import { isPlainName } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { createMemory } from '../../util/memoize.ts';
import { SECRET_KEYS } from '../schema/keys.ts';
import type { Mapping, Scope } from './validate.ts';

/** Reads the record with an index. */
export type ReadRecord = (index: number, map: Mapping) => DesiredWebsite | undefined;

/** So many different records are remembered. */
const MOST_KNOWN = 10_000;

/** Reads records as `readInFull`, which tells in `scope` what is wrong with one; `placeAt` tells where they are. */
export function shareSettings(
  scope: Scope,
  placeAt: (index: number) => Place,
  readInFull: ReadRecord,
): ReadRecord {
  const memory = createMemory<DesiredWebsite>(MOST_KNOWN);
  return (index, map) => {
    const rest = restOf(map);
    const like = rest && memory.get(rest);
    if (like !== undefined && typeof map.domain === 'string' && isPlainName(map.domain)) {
      const { state, settings, group, protect } = like;
      return { domain: map.domain, state, settings, group, protect, source: placeAt(index) };
    }
    const before = scope.problems.length;
    const website = readInFull(index, map);
    if (website !== undefined && rest !== undefined && scope.problems.length === before) {
      memory.keep(rest, website);
    }
    return website;
  };
}

/** The keys and values of a record beside its domain; `undefined` where its place counts too. */
function restOf(map: Mapping): readonly unknown[] | undefined {
  const rest: unknown[] = [];
  for (const key in map) {
    if (key === 'domain') continue;
    const value = map[key];
    // A secret that is a text goes by its place.
    if (typeof value === 'string' && SECRET_KEYS.includes(key)) return undefined;
    rest.push(key, value);
  }
  return rest;
}
