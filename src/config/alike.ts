/** Records that declare the same share their settings: only the first of them is read in full. */
import { isPlainName } from '../core/domain.ts';
import type { DesiredWebsite } from '../core/website.ts';
import { RECORD_KEYS, SECRET_FIELDS } from './keys.ts';
import type { Path } from './locate.ts';
import { type Mapping, placeOf, type Scope } from './read.ts';

export type ReadRecord = (path: Path, map: Mapping) => DesiredWebsite | undefined;

/** So many different records are remembered. */
const MOST_KNOWN = 10_000;
const SECRET_KEYS: readonly string[] = SECRET_FIELDS;

/** Reads records as `readInFull`, which tells in `scope` what is wrong with one. */
export function shareSettings(scope: Scope, readInFull: ReadRecord): ReadRecord {
  const known = new Map<string, DesiredWebsite>();
  return (path, map) => {
    const rest = restOf(map);
    const like = rest === undefined ? undefined : known.get(rest);
    if (like !== undefined && typeof map.domain === 'string' && isPlainName(map.domain)) {
      const { state, settings, protect } = like;
      return { domain: map.domain, state, settings, protect, source: placeOf(scope, path) };
    }
    const before = scope.problems.length;
    const website = readInFull(path, map);
    if (website === undefined || rest === undefined || scope.problems.length > before) return website;
    if (known.size < MOST_KNOWN) known.set(rest, website);
    return website;
  };
}

/** All that a record declares beside its domain, as one text; `undefined` where it cannot be shared. */
function restOf(map: Mapping): string | undefined {
  let rest = '';
  for (const key in map) {
    if (key === 'domain') continue;
    const value = map[key];
    // A secret that is a text goes by its place.
    if (!(key in RECORD_KEYS) || (typeof value === 'string' && SECRET_KEYS.includes(key))) return undefined;
    rest += `${key}:${typeof value === 'string' ? JSON.stringify(value) : textOf(value)},`;
  }
  return rest;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
