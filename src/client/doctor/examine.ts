/** What a service does where the interface is silent: found out by reading alone, told as plain data. */
import { LARGEST_PAGE } from '../../model/contract.ts';
import type { Findings, Pin, RateFindings, ShownIn } from '../../model/doctor-findings.ts';
import { domainKey, wwwVariant } from '../../model/domain.ts';
import { type FieldName, READABLE_NAMES } from '../../model/field-table.ts';
import { ServiceError, type Traits } from '../../model/service.ts';
import { unreadableValues } from '../../planner/unreadable.ts';
import { baseUrlText } from '../base-url.ts';
import type { Client, Seen } from '../client.ts';
import { paceHeaders } from '../pace-headers.ts';
import { formsOf } from './value-formats.ts';

/** No service gives its first record this id. */
const UNKNOWN_ID = '0';

/** Examines the service that `client` talks to. Sends GETs only; throws the ServiceError of a failed one. */
export async function examine(client: Client): Promise<Findings> {
  const { websites, unnamed, complete, reason } = await client.list();
  const [first] = websites;
  const one = first && (await client.read(first.id));
  const rate = rateFindings(client.seen);
  const search = first && (await client.find(domainKey(first.domain)));
  const unknown = await askForUnknown(client);
  const { seen, traits } = client;
  const domains = websites.map((website) => domainKey(website.domain));
  const www = countWww(domains);
  const favorite = traits.wireNames.favorited_at ?? null;
  return {
    base_url: baseUrlText(seen.baseUrl),
    redirects: seen.redirects,
    list: { ...listFindings(seen), complete, reason, records: websites.length },
    search_finds: search === undefined ? null : search.websites.some(({ id }) => id === first?.id),
    fields: READABLE_NAMES.map((name) => ({ name, shown: shownIn(name, traits, one !== undefined) })),
    forms: formsOf(seen.rows),
    tells_password_set:
      first === undefined ? null : [first, one].some((website) => website?.passwordSet !== undefined),
    favorite,
    www,
    unreadable: unreadableValues({ websites, unnamed }),
    duplicates: repeated(domains),
    unknown_record: unknown,
    rate_limit: rate,
    updates: null,
    pins: [...pinBase(seen), pinWww(www), pinFavorite(favorite)],
  };
}

function listFindings({ walk, envelope, refusedParameters }: Seen) {
  // A page that holds all records shows no limit.
  const size = walk !== undefined && walk.records.length > walk.pageSize ? walk.pageSize : null;
  return {
    envelope: envelope ?? '',
    paging: walk?.paging ?? 'numbers',
    total: walk?.total ?? null,
    pages: walk?.pages ?? 0,
    page_size: size,
    page_size_capped: size !== null && size < LARGEST_PAGE,
    refused_parameters: refusedParameters,
  } as const;
}

function repeated(domains: readonly string[]): string[] {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const domain of domains) (once.has(domain) ? again : once).add(domain);
  return [...again];
}

function rateFindings({ lastRequest }: Seen): RateFindings | null {
  const headers = paceHeaders(lastRequest?.headers ?? {});
  if (headers.length === 0) return null;
  const { limit, remaining, resetMs } = lastRequest?.pace ?? {};
  return { headers, limit: limit ?? null, remaining: remaining ?? null, reset_ms: resetMs ?? null };
}

async function askForUnknown(client: Client): Promise<Findings['unknown_record']> {
  try {
    await client.read(UNKNOWN_ID);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  const { status, headers } = client.seen.lastRequest ?? {};
  return { status: status ?? null, json: /\bjson\b/.test(headers?.['content-type'] ?? '') };
}

function shownIn(name: FieldName, { listed, read }: Traits, wasRead: boolean): ShownIn {
  if (listed.has(name)) return 'list';
  if (read.has(name)) return 'read';
  return wasRead ? 'nowhere' : 'unknown';
}

function countWww(domains: readonly string[]): Findings['www'] {
  const all = new Set(domains);
  const named = domains.filter((domain) => domain.startsWith('www.'));
  const both = named.filter((domain) => all.has(wwwVariant(domain))).length;
  return { with: named.length, without: domains.length - named.length, both };
}

function pinBase({ redirects, baseUrl }: Seen): Pin[] {
  if (redirects.length === 0) return [];
  return [{ key: 'base_url', value: baseUrlText(baseUrl), reason: 'every run starts with a redirect to it' }];
}

function pinWww(www: Findings['www']): Pin {
  if (www.with > 0) return { key: 'www', value: 'distinct', reason: 'records keep their leading www.' };
  const reason = 'same or distinct; no record has a leading www., so it matters if the file declares one';
  return { key: 'www', value: null, reason };
}

function pinFavorite(favorite: string | null): Pin {
  if (favorite !== null) return { key: 'favorite', value: favorite, reason: 'records show it by this name' };
  return { key: 'favorite', value: null, reason: 'favorited_at or favorite; no record shows it' };
}
