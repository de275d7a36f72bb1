import { MAX_PAGE_SIZE } from '../model/contract.ts';
import type { Findings } from '../model/doctor-findings.ts';
import { domainKey } from '../model/domain.ts';
import type { FactText } from '../model/facts.ts';
import { type FieldName, READABLE_NAMES } from '../model/field-table.ts';
import type { Traits } from '../model/service.ts';
import { wwwVariant } from '../planner/match.ts';
import { unreadableValues } from '../planner/warnings.ts';
import type { Client } from './client.ts';

export async function examine(client: Client, factText: FactText): Promise<Findings> {
  const { websites, unnamed, complete, reason } = await client.list();
  const [first] = websites;
  const one = first && (await client.read(first.id));
  const search = first && (await client.find(domainKey(first.domain)));
  const { traits } = client;
  const { baseUrl, redirects, envelope = '', refusedParameters, walk, lastRequest } = client.seen;
  const domains = websites.map((website) => domainKey(website.domain));
  const named = domains.filter((domain) => domain.startsWith('www.'));
  const all = new Set<string>();
  const duplicates = new Set<string>();
  for (const domain of domains) (all.has(domain) ? duplicates : all).add(domain);
  const { paging = 'numbers', total = null, pages = 0, pageSize = 0, records = [] } = walk ?? {};
  // If one page contains all records, the page size is unknown.
  const page_size = records.length > pageSize ? pageSize : null;
  const isOfPace = (name: string): boolean => /^(?:x-)?ratelimit-|^retry-after$/.test(name);
  const headers = Object.keys(lastRequest?.headers ?? {}).filter(isOfPace);
  const { limit = null, remaining = null, resetMs = null } = lastRequest?.pace ?? {};
  return {
    base_url: baseUrl,
    redirects,
    list: {
      ...{ envelope, paging, records: websites.length, total, pages, page_size },
      page_size_capped: page_size !== null && page_size < MAX_PAGE_SIZE,
      ...{ complete, reason: factText(reason), refused_parameters: refusedParameters },
    },
    search_finds: search?.websites.some(({ id }) => id === first?.id) ?? null,
    fields: READABLE_NAMES.map((name) => ({ name, shown: placeOf(name, traits, one !== undefined) })),
    tells_password_set: first ? [first, one].some((website) => website?.passwordSet !== undefined) : null,
    favorite: traits.wireNames.favorited_at ?? null,
    www: {
      with: named.length,
      without: domains.length - named.length,
      both: named.filter((domain) => all.has(wwwVariant(domain))).length,
    },
    unreadable: unreadableValues({ websites, unnamed }).map((value) =>
      factText({ code: 'unreadable', ...value }),
    ),
    duplicates: [...duplicates],
    rate_limit: headers.length > 0 ? { headers, limit, remaining, reset_ms: resetMs } : null,
  };
}

function placeOf(name: FieldName, { listed, read }: Traits, isKnown: boolean) {
  if (listed.has(name)) return 'list';
  return read.has(name) ? 'read' : isKnown ? 'nowhere' : 'unknown';
}
