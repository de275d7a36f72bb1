/** A row of a bulk file → a record, by the rules for YAML. */
import { type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import { createMemory } from '../../util/memoize.ts';
import type { DeclaredGroup } from '../read/groups.ts';
import type { Inherited } from '../read/levels.ts';
import { readRecord } from '../read/records.ts';
import { type Mapping, type Scope, tell } from '../read/validate.ts';
import { commaLists, mappingOf, plainSecret, restOf } from './cells.ts';
import type { BulkRow } from './rows.ts';

type Shared = Omit<DesiredWebsite, 'domain' | 'source'>;

/** So many sets of settings are remembered. */
const MOST_SHARED = 10_000;

type Groups = ReadonlyMap<string, Pick<DeclaredGroup, 'inherited'>>;

/**
 * A function that reads a row; what is wrong with it is told in `scope`. Rows that declare the same share one
 * object of settings, and all but the first of them take a short way to the same record. A row without a group is read
 * under `inherited`.
 */
export function createRowReader(
  scope: Scope,
  inherited: Inherited,
  groups: Groups = new Map(),
): (row: BulkRow) => DesiredWebsite | undefined {
  const memory = createMemory<Shared>(MOST_SHARED);
  const { alone, group } = inherited;
  memory.keep([], { state: 'present', settings: alone, group, protect: false });
  return (row) => {
    const index = row.keys.indexOf('domain');
    const text = row.cells[index];
    const rest = restOf(row, index);
    const shared = memory.get(rest);
    const normalised = typeof text === 'string' ? normaliseDomain(text) : undefined;
    if (shared !== undefined && normalised !== undefined && isUsual(normalised)) {
      const { state, settings, group, protect } = shared;
      const source = scope.document.source.placeAt(row.start);
      return { domain: normalised.domain, state, settings, group, protect, source };
    }
    const before = scope.problems.length;
    const website = readSlowly(scope, row, inherited, groups);
    if (website !== undefined && scope.problems.length === before) memory.keep(rest, website);
    return website;
  };
}

/** Whether there is nothing to say of a domain. */
function isUsual(normalised: NormalisedDomain | { readonly reason: string }): normalised is NormalisedDomain {
  return 'domain' in normalised && normalised.kind === 'name' && normalised.dropped.length === 0;
}

function readSlowly(
  scope: Scope,
  row: BulkRow,
  around: Inherited,
  groups: Groups,
): DesiredWebsite | undefined {
  const { group, ...map } = mappingOf(row);
  const secret = plainSecret(map);
  if (secret !== undefined) {
    tell(scope, [row.start, secret], {
      message: `${secret} is stored in plain text`,
      remedy: 'Write env:NAME or file:PATH.',
    });
    return undefined;
  }
  const inherited = group === undefined ? around : inheritedIn(scope, row, group, groups);
  const website = readRecord(scope, [row.start], withoutCommas(scope, row, map), inherited ?? around);
  return inherited === undefined ? undefined : website;
}

function inheritedIn(
  scope: Scope,
  { start }: BulkRow,
  group: unknown,
  groups: Groups,
): Inherited | undefined {
  const found = groups.get(String(group));
  if (found !== undefined) return found.inherited;
  const remedy = suggestion(String(group), [...groups.keys()], 'Declare it under websites of a YAML file.');
  tell(scope, [start, 'group'], { message: `unknown group ${JSON.stringify(group)}`, remedy });
  return undefined;
}

/** The map without its lists with commas, which are told of. */
function withoutCommas(scope: Scope, { start }: BulkRow, map: Mapping): Mapping {
  const lists = commaLists(map);
  if (lists.length === 0) return map;
  for (const key of lists) {
    tell(scope, [start, key], {
      message: `${key} contains a comma, and lists are split at white space or ";"`,
      remedy: 'Put a space or ";" between the items.',
    });
  }
  return Object.fromEntries(Object.entries(map).filter(([key]) => !lists.includes(key)));
}
