/** The variables that secrets use: no other text may use them (decision: "Configuration files are not trusted"). */

import { groupsIn, itemsIn } from '../read/groups.ts';
import { isMap, type Mapping } from '../read/validate.ts';
import { ALL_SECRET_KEYS } from '../schema/keys.ts';
import { referencedNames } from './substitute.ts';

/** Those that stand in the values of files, and `ofBulkFiles`; in capitals. */
export function secretNames(values: readonly unknown[], ofBulkFiles: readonly string[]): ReadonlySet<string> {
  const maps = values.filter(isMap).flatMap(mapsWithSecrets);
  const ofMaps = maps.flatMap((map) => ALL_SECRET_KEYS.flatMap((key) => variablesOf(map[key])));
  return new Set([...ofBulkFiles, ...ofMaps].map((name) => name.toUpperCase()));
}

function mapsWithSecrets({ defaults, websites, targets }: Mapping): Mapping[] {
  const records = [...itemsIn(websites)].filter(isMap);
  const levels = [defaults, ...[...groupsIn(websites)].map((group) => group.defaults)];
  const others = isMap(targets) ? Object.values(targets) : [];
  return [...records, ...levels, ...others].filter(isMap);
}

function variablesOf(secret: unknown): string[] {
  if (typeof secret === 'string') return referencedNames(secret);
  return isMap(secret) && typeof secret.env === 'string' ? [secret.env] : [];
}
