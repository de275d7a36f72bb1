/** Facts about a service that the interface leaves open, found out by reading alone, and the keys that pin them. */
import { LARGEST_PAGE } from '../model/contract.ts';
import type { Findings, Pin } from '../model/doctor-findings.ts';
import { domainKey, wwwVariant } from '../model/domain.ts';
import { type FieldName, READABLE_NAMES } from '../model/field-table.ts';
import { unreadableValues } from '../planner/unreadable.ts';
import type { Client, Seen } from './client.ts';
import { paceHeaders } from './pace-headers.ts';

/** Examines the service that `client` talks to. Sends GETs only; throws the ServiceError of a failed one. */
export async function examine(client: Client): Promise<Findings> {
  const { websites, unnamed, complete, reason } = await client.list();
  const [first] = websites;
  const one = first && (await client.read(first.id));
  const search = first && (await client.find(domainKey(first.domain)));
  const { seen, traits } = client;
  const domains = websites.map((website) => domainKey(website.domain));
  const named = domains.filter((domain) => domain.startsWith('www.'));
  const all = new Set(domains);
  const both = named.filter((domain) => all.has(wwwVariant(domain))).length;
  const favorite = traits.wireNames.favorited_at ?? null;
  const shownIn = (name: FieldName) =>
    traits.listed.has(name) ? 'list' : traits.read.has(name) ? 'read' : one ? 'nowhere' : 'unknown';
  return {
    base_url: seen.baseUrl,
    redirects: seen.redirects,
    list: { ...listFindings(seen), complete, reason, records: websites.length },
    search_finds: search === undefined ? null : search.websites.some(({ id }) => id === first?.id),
    fields: READABLE_NAMES.map((name) => ({ name, shown: shownIn(name) })),
    tells_password_set:
      first === undefined ? null : [first, one].some((website) => website?.passwordSet !== undefined),
    favorite,
    www: { with: named.length, without: domains.length - named.length, both },
    unreadable: unreadableValues({ websites, unnamed }),
    duplicates: repeated(domains),
    rate_limit: rateLimit(seen),
    pins: pinsOf(seen, named.length, favorite),
  };
}

function repeated(domains: readonly string[]): string[] {
  const once = new Set<string>();
  const again = new Set<string>();
  for (const domain of domains) (once.has(domain) ? again : once).add(domain);
  return [...again];
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

function rateLimit({ lastRequest }: Seen): Findings['rate_limit'] {
  const headers = paceHeaders(lastRequest?.headers ?? {});
  if (headers.length === 0) return null;
  const { limit, remaining, resetMs } = lastRequest?.pace ?? {};
  return { headers, limit: limit ?? null, remaining: remaining ?? null, reset_ms: resetMs ?? null };
}

function pinsOf({ redirects, baseUrl }: Seen, named: number, favorite: string | null): Pin[] {
  const base = {
    key: 'base_url',
    value: baseUrl,
    reason: 'every run starts with a redirect to it',
  } as const;
  return [
    ...(redirects.length > 0 ? [base] : []),
    named > 0
      ? { key: 'www', value: 'distinct', reason: 'records keep their leading www.' }
      : { key: 'www', value: null, reason: 'same or distinct; no record has a leading www.' },
    favorite === null
      ? { key: 'favorite', value: null, reason: 'favorited_at or favorite; no record shows it' }
      : { key: 'favorite', value: favorite, reason: 'records show it by this name' },
  ];
}
