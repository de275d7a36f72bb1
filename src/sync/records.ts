import { readFor } from '../client/look-up.ts';
import { readCurrent } from '../client/read-current.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { FIELD_NAMES, type FieldName, PRIVACY, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import { scopeFlags } from '../model/next-command.ts';
import type { Listing } from '../model/service.ts';
import type { Current, Desired, Wanted } from '../model/website.ts';
import { inventoryOf } from '../planner/inventory.ts';
import { type Names, otherOf } from '../planner/match.ts';
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

interface DesiredFiles {
  readonly desired: Desired;
  readonly defaults: Settings;
}

/** Reads all fields that the service shows, and those that `files` declare or default. Throws `list-incomplete`. */
export async function readAll(
  { service, identity, nextFlags }: Connection,
  allowIncomplete: boolean,
  files?: DesiredFiles,
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
  const hidden = READABLE_NAMES.filter((name) => !service.traits.listed.has(name));
  const current = await readCurrent(service, listing, wantedOf(listing, hidden, files));
  refuse(current);
  return current;
}

function* wantedOf(
  { websites }: Listing,
  hidden: readonly FieldName[],
  files: DesiredFiles | undefined,
): Generator<Wanted> {
  const declared = new Map(files?.desired.websites.map(({ domain, settings }) => [domain, settings]));
  const locked: readonly FieldName[] = [...hidden, 'password'];
  for (const website of websites) {
    const domain = domainKey(website.domain);
    const own = website.settings.privacy === PRIVACY.password ? locked : hidden;
    const all = { ...files?.defaults, ...declared.get(domain), ...declared.get(otherOf(domain) ?? domain) };
    const others = FIELD_NAMES.filter((name) => all[name] !== undefined);
    // All undeclared records share one array, because there may be many.
    yield { domain, fields: others.length === 0 ? own : [...new Set([...own, ...others])] };
  }
}
