/** A row of a bulk file → a record, by the rules for YAML. */
import { type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { createMemory } from '../../util/memoize.ts';
import { type Defaults, readRecord } from '../read/records.ts';
import { type Mapping, type Scope, tell } from '../read/validate.ts';
import { commaLists, mappingOf, plainSecret, restOf } from './cells.ts';
import type { BulkRow } from './rows.ts';

type Shared = Pick<DesiredWebsite, 'state' | 'settings' | 'protect'>;

/** So many sets of settings are remembered. */
const MOST_SHARED = 10_000;

/**
 * A function that reads a row; what is wrong with it is told in `scope`. Rows that declare the same share one
 * object of settings, and all but the first of them take a short way to the same record.
 */
export function createRowReader(
  scope: Scope,
  defaults: Defaults,
): (row: BulkRow) => DesiredWebsite | undefined {
  const memory = createMemory<Shared>(MOST_SHARED);
  memory.keep([], { state: 'present', settings: defaults.alone, protect: false });
  return (row) => {
    const index = row.keys.indexOf('domain');
    const text = row.cells[index];
    const rest = restOf(row, index);
    const shared = memory.get(rest);
    const normalised = typeof text === 'string' ? normaliseDomain(text) : undefined;
    if (shared !== undefined && normalised !== undefined && isUsual(normalised)) {
      const { state, settings, protect } = shared;
      const source = scope.document.source.placeAt(row.start);
      return { domain: normalised.domain, state, settings, protect, source };
    }
    const before = scope.problems.length;
    const website = readSlowly(scope, row, defaults);
    if (website !== undefined && scope.problems.length === before) memory.keep(rest, website);
    return website;
  };
}

/** Whether there is nothing to say of a domain. */
function isUsual(normalised: NormalisedDomain | { readonly reason: string }): normalised is NormalisedDomain {
  return 'domain' in normalised && normalised.kind === 'name' && normalised.dropped.length === 0;
}

function readSlowly(scope: Scope, row: BulkRow, defaults: Defaults): DesiredWebsite | undefined {
  const map = mappingOf(row);
  const secret = plainSecret(map);
  if (secret === undefined) return readRecord(scope, [row.start], withoutCommas(scope, row, map), defaults);
  tell(scope, [row.start, secret], {
    message: `${secret} is stored in plain text`,
    remedy: 'Write env:NAME or file:PATH.',
  });
  return undefined;
}

/** The map without its lists with commas, which are told of. */
function withoutCommas(scope: Scope, { start }: BulkRow, map: Mapping): Mapping {
  const lists = commaLists(map);
  if (lists.length === 0) return map;
  for (const key of lists) {
    tell(scope, [start, key], {
      message: `${key} holds a comma, and lists are split at white space or ";"`,
      remedy: 'Put a blank or ";" between the items.',
    });
  }
  return Object.fromEntries(Object.entries(map).filter(([key]) => !lists.includes(key)));
}
