/** The records of a service, and how the configuration treats them. */
import { lookUpOrList } from '../client/look-up.ts';
import { domainKey } from '../model/domain.ts';
import { READABLE_NAMES } from '../model/field-table.ts';
import type { Current, Desired } from '../model/website.ts';
import { type InventoryRecord, inventoryOf } from '../planner/inventory.ts';
import { apartUnlessSet, type Names } from '../planner/match.ts';
import { selected } from '../planner/selection.ts';
import type { Connection } from './connect.ts';

export interface RecordQuery extends Names {
  /** Patterns of domains; none means all. */
  readonly domain: readonly string[];
  /** Missing where there is no configuration. */
  readonly desired: Desired | undefined;
}

export interface RecordList extends Pick<Current, 'complete' | 'reason'> {
  readonly records: readonly InventoryRecord[];
  /** Whether one domain was looked up, or all records were listed. */
  readonly kind: 'lookup' | 'list';
  readonly requests: number;
}

/** Lists the records, or looks up one exact domain. Throws what the service throws. */
export async function listRecords(connection: Connection, query: RecordQuery): Promise<RecordList> {
  const { lookedUp, ...current } = await read(connection, query);
  const all = inventoryOf(query.desired, current, query);
  const selection = { ...query, exclude: [] };
  const records = selected(all, ({ website }) => domainKey(website.domain), selection);
  const { complete, reason } = current;
  return {
    records,
    kind: lookedUp === undefined ? 'list' : 'lookup',
    requests: connection.limiter().requests,
    complete,
    ...(reason === undefined ? {} : { reason }),
  };
}

/**
 * All records as the list shows them, or those of one exact domain with what lists hide of them. Where all would be
 * needed to know how two names relate, the list is read.
 */
async function read(
  { service, parallelism, onRead }: Connection,
  { domain: [pattern, ...others], desired, ...names }: RecordQuery,
): Promise<Current> {
  if (pattern === undefined || others.length > 0 || pattern.includes('*')) {
    return { ...NOTHING_KNOWN, ...(await service.list()) };
  }
  const domain = domainKey(pattern);
  const wanted = [{ domain, fields: READABLE_NAMES }];
  const standings = (found: Current, names: Names): string =>
    inventoryOf(desired, found, names)
      .map(({ standing }) => standing)
      .join();
  const isEnough = (found: Current): boolean =>
    standings(found, names) === standings(found, apartUnlessSet(names));
  return lookUpOrList(service, [domain], () => wanted, { parallelism, onRead, ...names }, isEnough);
}

const NOTHING_KNOWN = { provenAbsent: new Set<string>(), hidden: [], presenceOnly: [] };
