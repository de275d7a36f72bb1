/** What a service does where the interface is silent: found out by reading alone, told as plain data. */
import { domainKey, wwwTwin } from '../core/domain.ts';
import { type FieldName, READABLE_NAMES } from '../core/fields.ts';
import { ServiceError, type Traits } from '../core/service.ts';
import type { Website } from '../core/website.ts';
import { LARGEST_PAGE } from '../core/wire.ts';
import type { Client, Seen } from './client.ts';
import { paceHeaders } from './pace.ts';
import type { Paging } from './pager.ts';

export interface Findings {
  /** Where the service answers, redirects followed. */
  readonly base_url: string;
  readonly redirects: readonly { readonly status: number; readonly from: string; readonly to: string }[];
  readonly list: ListFindings;
  /** Whether a search for a record's domain finds it; null when there is no record to search for. */
  readonly search_finds: boolean | null;
  readonly fields: readonly { readonly name: FieldName; readonly shown: Shown }[];
  /** Whether records tell that a password is set; null when there is no record. */
  readonly tells_password_set: boolean | null;
  /** The form of the favourite; null when no answer showed it. */
  readonly favorite: string | null;
  readonly www: { readonly with: number; readonly without: number; readonly both: number };
  /** Domains that several records have. */
  readonly duplicates: readonly string[];
  /** The answer to a record that does not exist. */
  readonly unknown_record: { readonly status: number | null; readonly json: boolean };
  /** Null when answers say nothing of it. */
  readonly rate_limit: RateFindings | null;
  /** Keys of `service:` that the file should, or may have to, set; a null value is for the reader to decide. */
  readonly pins: readonly Pin[];
}

type Shown = 'list' | 'read' | 'nowhere' | 'unknown';

interface ListFindings {
  /** The member that holds the records; '' where the list is the whole answer. */
  readonly envelope: string;
  readonly paging: Paging;
  readonly records: number;
  readonly total: number | null;
  readonly pages: number;
  /** The most records on one page; null when one page holds all, so that no limit shows. */
  readonly page_size: number | null;
  readonly page_size_capped: boolean;
  readonly complete: boolean;
  readonly reason: string;
  readonly refused_parameters: readonly string[];
}

interface RateFindings {
  readonly headers: readonly string[];
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset_ms: number | null;
}

interface Pin {
  readonly key: 'service.www' | 'service.favorite';
  readonly value: string | null;
  readonly reason: string;
}

/** No service gives its first record this id. */
const UNKNOWN_ID = '0';

/** Examines the service that `client` talks to. Sends GETs only; throws the ServiceError of a failed one. */
export async function examine(client: Client): Promise<Findings> {
  const { websites, complete, reason } = await client.list();
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
    base_url: seen.baseUrl.href.replace(/\/$/, ''),
    redirects: seen.redirects,
    list: { ...listFindings(seen), complete, reason, records: websites.length },
    search_finds: search === undefined ? null : search.websites.some(({ id }) => id === first?.id),
    fields: READABLE_NAMES.map((name) => ({ name, shown: shownIn(name, traits, one !== undefined) })),
    tells_password_set: first === undefined ? null : tellsPassword(first) || tellsPassword(one),
    favorite,
    www,
    duplicates: repeated(domains),
    unknown_record: unknown,
    rate_limit: rate,
    pins: [...pinWww(www), ...pinFavorite(favorite)],
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

function shownIn(name: FieldName, { listed, read }: Traits, wasRead: boolean): Shown {
  if (listed.has(name)) return 'list';
  if (read.has(name)) return 'read';
  return wasRead ? 'nowhere' : 'unknown';
}

function tellsPassword(website: Website | undefined): boolean {
  return website?.passwordSet !== undefined;
}

function countWww(domains: readonly string[]): Findings['www'] {
  const all = new Set(domains);
  const named = domains.filter((domain) => domain.startsWith('www.'));
  const both = named.filter((domain) => all.has(wwwTwin(domain))).length;
  return { with: named.length, without: domains.length - named.length, both };
}

function pinWww(www: Findings['www']): Pin[] {
  const key = 'service.www';
  if (www.with > 0) return [{ key, value: 'distinct', reason: 'records keep their leading www.' }];
  return [
    {
      key,
      value: null,
      reason: 'no record has a leading www.: set it to same or distinct if the file declares one that has',
    },
  ];
}

function pinFavorite(favorite: string | null): Pin[] {
  const key = 'service.favorite';
  if (favorite !== null) return [{ key, value: favorite, reason: 'records show it by this name' }];
  return [{ key, value: null, reason: 'no record shows whether it is a favourite, nor by which name' }];
}
