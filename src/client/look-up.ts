/**
 * Looks domains up in place of the list, where that takes fewer requests
 * (decision: "Reads grow with the change"). In any doubt it lists.
 */
import { domainKey, isNamed } from '../model/domain.ts';
import { type FirstPage, MOST_MATCH_PAGES } from '../model/service.ts';
import type { Current, Website } from '../model/website.ts';
import type { Client } from './client.ts';
import { inSight, type ReadOptions, readCurrent, type Wanted } from './read-current.ts';

/** Without a total, look-ups are made while they take fewer requests than this. */
const MOST_REQUESTS = 50;

type Looking = Pick<Client, 'find' | 'lookUpCost'>;

/**
 * The records of `domains` alone, or, where that costs more or leaves a doubt, all of them. `wanted` is as readCurrent
 * takes it; `isEnough` tells whether what was looked up will do. Throws what the service throws.
 */
export async function lookUpOrList(
  client: Client,
  domains: readonly string[],
  wanted: () => Iterable<Wanted>,
  options: ReadOptions,
  isEnough: (current: Current) => boolean,
): Promise<Current> {
  const first = await client.firstPage();
  const list = (): Promise<Current> => readCurrent({ ...client, list: first.rest }, wanted(), options);
  const pages = pagesOf(first);
  if (first.isLast || !isCheaper(domains, pages, client)) return list();
  const websites = await lookUpEach(domains, first, client, options);
  if (websites === undefined) return list();
  const listing = { websites, complete: true, reason: 'each domain was looked up', readAt: first.readAt };
  const looked = new Set(domains);
  const own = [...wanted()].filter(({ domain }) => looked.has(domain));
  const read = await readCurrent({ ...client, list: async () => listing }, own, options);
  const lookedUp = { domains: looked, total: first.total, pages };
  const current = { ...read, lookedUp };
  return read.complete && isEnough(current) ? current : list();
}

/** Requests that a list of all records takes, where the service counts them. */
function pagesOf({ total, websites }: FirstPage): number | undefined {
  return total === undefined ? undefined : Math.ceil(total / Math.max(1, websites.length));
}

function isCheaper(domains: readonly string[], pages: number | undefined, { lookUpCost }: Looking): boolean {
  const most = pages === undefined ? MOST_REQUESTS : pages - 1;
  let cost = 0;
  for (const domain of domains) {
    cost += lookUpCost(domain);
    if (cost >= most) return false;
  }
  return true;
}

/** The records of each domain, and of its www variant; `undefined` where one cannot be told. */
async function lookUpEach(
  domains: readonly string[],
  first: FirstPage,
  client: Looking,
  { parallelism, onRead }: ReadOptions,
): Promise<readonly Website[] | undefined> {
  const found = new Map<string, Website>();
  const absent: string[] = [];
  let isSure = true;
  await inSight(parallelism, onRead)('find', domains, async (domain) => {
    if (!isSure) return;
    const { websites, proven } = await client.find(domain, MOST_MATCH_PAGES);
    // An ID that is shown for two websites is no answer.
    isSure &&= proven && websites.every(({ id, domain }) => (found.get(id)?.domain ?? domain) === domain);
    for (const website of websites) found.set(website.id, website);
    if (!websites.some((website) => domainKey(website.domain) === domain)) absent.push(domain);
  });
  if (!isSure || !areAllFound(domains, first, found)) return undefined;
  if (absent.length > 0 && !(await showsTheNewest(first, client))) return undefined;
  return [...found.values()];
}

/** Whether the search found what the first page shows of `domains`. */
function areAllFound(
  domains: readonly string[],
  { websites }: FirstPage,
  found: ReadonlyMap<string, Website>,
): boolean {
  return domains.every((domain) =>
    websites.every((website) => found.has(website.id) || !isNamed(website, domain)),
  );
}

/** The control: a search that finds the newest record, asked for after the others, leaves none out for its age. */
async function showsTheNewest({ websites, isFalling }: FirstPage, { find }: Looking): Promise<boolean> {
  const [newest] = websites;
  if (newest === undefined || newest.domain === '' || !isFalling) return false;
  const control = await find(domainKey(newest.domain), MOST_MATCH_PAGES);
  return control.proven && control.websites.some(({ id }) => id === newest.id);
}
