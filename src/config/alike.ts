/** Records that declare the same share their settings: only the first of them is read in full. */
import { isPlainName } from '../core/domain.ts';
import type { DesiredWebsite } from '../core/website.ts';
import type { DeclaredWebsite } from './declared.ts';
import { SECRET_FIELDS } from './keys.ts';
import type { Path } from './locate.ts';
import { type Mapping, placeOf, type Scope } from './read.ts';

export type ReadRecord = (path: Path, map: Mapping) => DeclaredWebsite | undefined;

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
      const website = { ...like, domain: map.domain, source: placeOf(scope, path) };
      return { website, scope, path: [...path, 'domain'] };
    }
    const before = scope.problems.length;
    const declared = readInFull(path, map);
    if (declared === undefined || rest === undefined || scope.problems.length > before) return declared;
    if (known.size < MOST_KNOWN) known.set(rest, declared.website);
    return declared;
  };
}

/** All that a record declares beside its domain, as one text; `undefined` where its place counts too. */
function restOf(map: Mapping): string | undefined {
  let rest = '';
  for (const key of Object.keys(map)) {
    if (key === 'domain') continue;
    const value = map[key];
    // A secret that is a text goes by its place.
    if (typeof value === 'string' && SECRET_KEYS.includes(key)) return undefined;
    rest += `${JSON.stringify(key)}:${JSON.stringify(value)},`;
  }
  return rest;
}
