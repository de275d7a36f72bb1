import { readFor } from '../client/look-up.ts';
import { readCurrent } from '../client/read-current.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  type Settings,
} from '../model/field-table.ts';
import { scopeFlags } from '../model/next-command.ts';
import type { Current, Desired } from '../model/website.ts';
import { inventoryOf } from '../planner/inventory.ts';
import type { Names } from '../planner/match.ts';
import { selection } from '../planner/selection.ts';
import type { Connection } from './connect.ts';

interface RecordQuery extends Names {
  readonly domain: readonly string[];
  readonly desired: Desired | undefined;
}

export async function listRecords(connection: Connection, query: RecordQuery) {
  const current = await read(connection, query);
  const all = inventoryOf(query.desired, current, query);
  const isSelected = selection({ ...query, exclude: [] });
  const { complete, reason } = current;
  return {
    records: all.filter(({ website }) => isSelected(domainKey(website.domain))),
    kind: current.lookedUp === undefined ? ('list' as const) : ('lookup' as const),
    requests: connection.limiter().requests,
    ...{ complete, reason },
  };
}

/** Reads the list instead of one record if the relation of www variants depends on all records. */
async function read({ service }: Connection, query: RecordQuery): Promise<Current> {
  const { domain: patterns, desired, ...names } = query;
  const [pattern = '*', ...others] = patterns;
  if (others.length > 0 || pattern.includes('*')) {
    return { knownAbsent: new Set(), hidden: [], presenceOnly: [], ...(await service.list()) };
  }
  const about = [domainKey(pattern)];
  const statuses = (found: Current, known: Names): string =>
    String(inventoryOf(desired, found, known).map(({ status }) => status));
  const question = {
    about,
    wanted: () => about.map((domain) => ({ domain, fields: READABLE_NAMES })),
    isEnough: (found: Current) =>
      statuses(found, names) === statuses(found, { www: names.www ?? 'distinct' }),
  };
  return readFor(service, question, names);
}

/**
 * Reads all fields that the service shows, and those with `defaults`: a record that omits one has the empty value.
 * Throws `list-incomplete`.
 */
export async function readAll(
  { service, identity, nextFlags }: Connection,
  allowIncomplete: boolean,
  defaults: Settings = {},
): Promise<Current> {
  const refuse = ({ complete, reason }: Pick<Current, 'complete' | 'reason'>): void => {
    if (complete || allowIncomplete) return;
    const message = `The service may not have returned all of its records: ${reason}.`;
    const doctor = `websites doctor${scopeFlags(identity, nextFlags)}`;
    throw new WebsitesError('list-incomplete', message, {
      remedy: `Run "${doctor}" to find the reason, or pass --allow-incomplete to export the list as it is.`,
    });
  };
  const listing = await service.list();
  refuse(listing);
  const names = FIELD_NAMES.filter(
    (name) => defaults[name] !== undefined || !(FIELDS[name].secret || service.traits.listed.has(name)),
  );
  const locked: readonly FieldName[] = [...names, 'password'];
  const wanted = listing.websites.map(({ domain, settings }) => {
    return { domain: domainKey(domain), fields: settings.privacy === PRIVACY.password ? locked : names };
  });
  const current = await readCurrent(service, listing, wanted);
  refuse(current);
  return current;
}
