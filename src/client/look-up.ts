/**
 * Searches for domains instead of reading the list, if that takes fewer requests (decision: "Reads grow with the
 * change").
 */
import { domainKey } from '../model/domain.ts';
import { startById } from '../model/identity.ts';
import { type FirstPage, MAX_MATCH_PAGES } from '../model/service.ts';
import type { Current, Question, Website } from '../model/website.ts';
import { isNamed } from '../planner/match.ts';
import type { Client } from './client.ts';
import { type ReadOptions, readCurrent, readWhole } from './read-current.ts';

/** If the service returns no total, searches run while they take fewer requests than this. */
const MAX_REQUESTS = 50;

export async function readFor(client: Client, question: Question, options: ReadOptions): Promise<Current> {
  const { about, wanted, whole } = question;
  const current =
    about === undefined
      ? await readCurrent(client, await client.list(), wanted(), options)
      : await lookUpOrList(client, about, question, options);
  const domains = whole?.(current) ?? [];
  return domains.length === 0 ? current : readWhole(client, current, domains, options);
}

/**
 * Returns only the records of `domains`. Returns all records if that takes fewer requests, or if a search gave no
 * certain result.
 */
async function lookUpOrList(
  client: Client,
  domains: readonly string[],
  { wanted, isEnough }: Question,
  options: ReadOptions,
): Promise<Current> {
  const first = await client.firstPage();
  const { total, isLast, readAt } = first;
  const list = async (): Promise<Current> => readCurrent(client, await first.rest(), wanted(), options);
  const pages = total === undefined ? undefined : Math.ceil(total / Math.max(1, first.websites.length));
  const most = pages === undefined ? MAX_REQUESTS : pages - 1;
  const isCheaper =
    domains.length < most && domains.reduce((sum, domain) => sum + client.lookUpCost(domain), 0) < most;
  if (isLast || !isCheaper) return list();
  const websites = await lookUpEach(domains, first, client);
  if (websites === undefined) return list();
  const reason = { code: 'list-looked-up' } as const;
  const listing = { websites, complete: true, reason, readAt, sharedIds: [] };
  const looked = new Set(domains);
  const own = [...wanted()].filter(({ domain }) => looked.has(domain));
  const read = await readCurrent(client, listing, own, options);
  const current = { ...read, lookedUp: { domains: looked, total, pages } };
  return read.complete && isEnough?.(current) ? current : list();
}

/** Returns the records of each domain and its www variant. Returns `undefined` if one search gave no certain result. */
async function lookUpEach(
  domains: readonly string[],
  first: FirstPage,
  client: Client,
): Promise<readonly Website[] | undefined> {
  const found = startById();
  let isAbsent = false;
  let isSure = true;
  await client.each('find', domains, async (domain) => {
    if (!isSure) return;
    const { websites, isCertain } = await client.find(domain, MAX_MATCH_PAGES);
    for (const website of websites) found.add(website);
    isAbsent ||= !websites.some((website) => domainKey(website.domain) === domain);
    // If the first page shows a record of the domain, the search must find it, too.
    const missed = first.websites.some(({ id, ...one }) => isNamed(one, domain) && !found.records.has(id));
    isSure &&= isCertain && !missed && found.shared().length === 0;
  });
  if (!isSure) return undefined;
  const records = [...found.records.values()];
  if (!isAbsent) return records;
  // Searches for the newest record last. If the search finds it, the search does not lag behind the list.
  const [newest] = first.websites;
  if (newest === undefined || newest.domain === '' || !first.isFalling) return undefined;
  const control = await client.find(domainKey(newest.domain), MAX_MATCH_PAGES);
  return control.isCertain && control.websites.some(({ id }) => id === newest.id) ? records : undefined;
}
