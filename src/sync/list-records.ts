/** The records of a service, and how the configuration treats them. */
import { domainKey } from '../model/domain.ts';
import { READABLE_NAMES } from '../model/field-table.ts';
import type { Current, Desired, Website, WwwRule } from '../model/website.ts';
import { type InventoryRecord, inventoryOf } from '../planner/inventory.ts';
import { selected } from '../planner/selection.ts';
import type { Connection } from './connect.ts';

export interface RecordQuery {
  /** Patterns of domains; none means all. */
  readonly domain: readonly string[];
  /** Missing where there is no configuration. */
  readonly desired: Desired | undefined;
  readonly www: WwwRule | undefined;
}

export interface RecordList extends Pick<Current, 'complete' | 'reason'> {
  readonly records: readonly InventoryRecord[];
  /** Whether one domain was looked up, or all records were listed. */
  readonly kind: 'lookup' | 'list';
  readonly requests: number;
}

/** Lists the records, or looks up one exact domain. Throws what the service throws. */
export async function listRecords(connection: Connection, query: RecordQuery): Promise<RecordList> {
  const found = await lookUp(connection, query);
  const current = found ?? currentOf(await connection.service.list());
  const all = inventoryOf(query.desired, current, query.www);
  const selection = { domain: query.domain, exclude: [], ...(query.www && { www: query.www }) };
  const records = selected(all, ({ website }) => domainKey(website.domain), selection);
  const { complete, reason } = current;
  return {
    records,
    kind: found === undefined ? 'list' : 'lookup',
    requests: connection.limiter().requests,
    complete,
    ...(reason === undefined ? {} : { reason }),
  };
}

type Read = Pick<Current, 'websites' | 'complete'> & Partial<Current>;

function currentOf(read: Read): Current {
  return { provenAbsent: new Set(), hidden: [], presenceOnly: [], readAt: 0, ...read };
}

/**
 * The records of one exact domain, by a search, with what lists hide of them. `undefined` where several are asked for,
 * the search is not complete, or all records would be needed to know how www variants relate.
 */
async function lookUp(
  { service }: Connection,
  { domain: patterns, desired, www }: RecordQuery,
): Promise<Current | undefined> {
  const [pattern, ...others] = patterns;
  if (pattern === undefined || others.length > 0 || pattern.includes('*')) return undefined;
  const found = await service.find(domainKey(pattern));
  if (!found.proven) return undefined;
  const websites = await Promise.all(found.websites.map((website) => readWhole(website, service)));
  const current = currentOf({ websites, complete: true });
  const [one, other] = [www, www ?? 'distinct'].map((rule) =>
    inventoryOf(desired, current, rule).map(({ standing }) => standing),
  );
  return String(one) === String(other) ? current : undefined;
}

async function readWhole(website: Website, service: Connection['service']): Promise<Website> {
  if (READABLE_NAMES.every((name) => website.settings[name] !== undefined)) return website;
  const read = await service.read(website.id);
  if (read === undefined || domainKey(read.domain) !== domainKey(website.domain)) return website;
  return { ...website, ...read, settings: { ...website.settings, ...read.settings } };
}
