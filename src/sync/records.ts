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

/** Looks up a single domain. Reads the list if the relation of www variants then depends on all records. */
export async function listRecords(connection: Connection, query: RecordQuery) {
  const { domain: patterns, desired, www } = query;
  const { service, limiter, factText } = connection;
  const [pattern = '*', ...others] = patterns;
  const about = [domainKey(pattern)];
  const statuses = (found: Current, names: Names): string =>
    String(inventoryOf(desired, found, names).map(({ status }) => status));
  const question = {
    about,
    wanted: () => about.map((domain) => ({ domain, fields: READABLE_NAMES })),
    isEnough: (found: Current) => statuses(found, query) === statuses(found, { www: www ?? 'distinct' }),
  };
  const isOne = others.length === 0 && !pattern.includes('*');
  const current: Omit<Current, 'knownAbsent' | 'hidden' | 'presenceOnly'> = isOne
    ? await readFor(service, question, { www })
    : await service.list();
  const isSelected = selection({ ...query, exclude: [] });
  const { complete, reason, lookedUp } = current;
  return {
    records: inventoryOf(desired, current, query).filter(({ website }) =>
      isSelected(domainKey(website.domain)),
    ),
    kind: lookedUp === undefined ? ('list' as const) : ('lookup' as const),
    requests: limiter().requests,
    ...{ complete, reason: reason && factText(reason) },
  };
}

/**
 * Reads all fields that the service shows, and those with `defaults`: a record that omits one has the empty value.
 * Throws `list-incomplete`.
 */
export async function readAll(
  { service, identity, nextFlags, factText }: Connection,
  allowIncomplete: boolean,
  defaults: Settings = {},
): Promise<Current> {
  const listing = await service.list();
  if (!listing.complete && !allowIncomplete) {
    const message = `The service may not have returned all of its records: ${factText(listing.reason)}.`;
    const doctor = `websites doctor${scopeFlags(identity, nextFlags)}`;
    throw new WebsitesError('list-incomplete', message, {
      remedy: `Run "${doctor}" to find the reason, or pass --allow-incomplete to export the list as it is.`,
    });
  }
  const names = FIELD_NAMES.filter(
    (name) => defaults[name] !== undefined || !(FIELDS[name].secret || service.traits.listed.has(name)),
  );
  const locked: readonly FieldName[] = [...names, 'password'];
  const wanted = listing.websites.map(({ domain, settings }) => {
    return { domain: domainKey(domain), fields: settings.privacy === PRIVACY.password ? locked : names };
  });
  return readCurrent(service, listing, wanted);
}
