import { domainToUnicode } from 'node:url';
import { parseBaseUrl } from '../model/base-url.ts';
import { MAX_PAGE_SIZE, WEBSITES_PATH } from '../model/contract.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { startById } from '../model/identity.ts';
import {
  type FirstPage,
  type Listing,
  type OnRead,
  type ReadProgress,
  ServiceError,
  type WebsiteService,
} from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { isNamed } from '../planner/match.ts';
import type { Environment } from '../util/environment.ts';
import { inParallel } from '../util/parallel.ts';
import { type DecodedPage, decodePage, type Learner, startLearning } from './decode.ts';
import { proxySecrets } from './http/proxy.ts';
import type { RouteOptions } from './http/route.ts';
import { createTransport } from './http/transport.ts';
import { areFalling, listAll, type Walk, type WalkOptions } from './list-walk.ts';
import { recordOperations } from './record-requests.ts';
import { createExchange, type Exchange, type ExchangeOptions, type RequestEvent } from './request.ts';

export interface ClientOptions extends Omit<ExchangeOptions, 'transport' | 'secrets'> {
  readonly parallelism: number;
  readonly environment: Environment;
  readonly connectTimeoutMs?: number;
  /** Form in which the favorite is sent (`service.favorite`). Without it, the form in the responses is used. */
  readonly favorite?: 'favorited_at' | 'favorite' | undefined;
  readonly onRead?: OnRead | undefined;
  readonly connect?: Pick<RouteOptions, 'lookup' | 'ca'>;
}

const PER_PAGE = String(MAX_PAGE_SIZE);
const ALL = { per_page: PER_PAGE, sort_by: 'id', sort: 'desc' };

export type Client = ReturnType<typeof createClient>;

/** Throws `base-url-invalid` or `usage`. The operations throw ServiceErrors, and `usage` for an invalid proxy. */
export function createClient(options: ClientOptions) {
  const { clock, parallelism, environment, onRead, connectTimeoutMs = 10_000 } = options;
  // The key must be valid in a header (RFC 6750, section 2.1). The error does not contain it.
  if (!/^[!-~]*$/.test(options.key)) {
    const message =
      'The API key contains a space, a line end, or another character that is not valid in a key.';
    throw new WebsitesError('usage', message, {
      remedy: 'Copy the key again, without quotes and line ends.',
    });
  }
  const transport = createTransport({
    ...{ connections: parallelism, connectTimeoutMs, environment },
    ...options.connect,
  });
  let lastRequest: RequestEvent | undefined;
  const exchange = createExchange({
    ...options,
    baseUrl: parseBaseUrl(options.baseUrl),
    transport,
    secrets: [options.key, ...proxySecrets(environment)],
    onRequest(event) {
      lastRequest = event;
      options.onRequest?.(event);
    },
  });
  const learner = startLearning(options.favorite);
  const lister = createLister(exchange, learner);
  let walk: Walk | undefined;

  const onPage = (done: number, total?: number): void =>
    onRead?.({ what: 'list', done, total, ended: false });

  async function list(readAt = clock.now(), first?: FirstPageAt): Promise<Listing> {
    onPage(0);
    try {
      walk = await lister.list(first ?? (await lister.readFirst(ALL)), { parallelism, onPage });
    } finally {
      onRead?.({ what: 'list', done: walk?.records.length ?? 0, ended: true });
    }
    const { records, completeness, reason, sharedIds } = walk;
    const unnamed = records.filter(({ domain }) => domain === '');
    const websites = unnamed.length === 0 ? records : records.filter(({ domain }) => domain !== '');
    return { websites, unnamed, sharedIds, complete: completeness === 'yes', reason, readAt };
  }

  const service: WebsiteService = {
    traits: learner.traits,
    list: () => list(),

    async find(domain, mostPages) {
      const byId = startById();
      const isExact = (website: Website): boolean => domainKey(website.domain) === domain;
      const shared = [];
      let isCertain = true;
      for (const search of spellings(domain)) {
        const asked = { search, search_by: 'domain', per_page: PER_PAGE };
        const ways = { parallelism, subject: domain, shortIsWhole: true, mostPages } as const;
        const matches = await lister.list(await lister.readFirst(asked, domain), ways);
        isCertain &&= matches.completeness === 'yes';
        shared.push(...matches.sharedIds);
        const named = matches.records.filter((website) => isNamed(website, domain));
        for (const website of named) byId.add(website);
        if (named.some(isExact)) break;
      }
      // A service that keeps capital letters may not find them in a search in lower case.
      isCertain &&= !lister.seen.hasCapitals || [...byId.records.values()].some(isExact);
      const sharedIds = [...shared, ...byId.shared()];
      const websites = [...byId.records.values()]
        .filter(({ id }) => sharedIds.every((one) => one.id !== id))
        .sort((a, b) => Number(isExact(b)) - Number(isExact(a)));
      return { websites, isCertain: isCertain && sharedIds.length === 0, sharedIds };
    },

    ...recordOperations(exchange, learner),
  };

  return {
    ...service,
    /** Reads the first page, which shows how many requests the whole list takes. */
    async firstPage(): Promise<FirstPage> {
      const readAt = clock.now();
      const first = await lister.readFirst(ALL);
      const { records, total, next } = first.page;
      return {
        websites: records,
        isFalling: areFalling(records),
        total,
        isLast: next === null || (total !== undefined && next === undefined && total === records.length),
        readAt,
        rest: () => list(readAt, first),
      };
    },

    /** Minimum number of requests to find out that a domain has no record. */
    lookUpCost: (domain: string): number => new Set(spellings(domain)).size,
    each: inSight(parallelism, onRead),
    get seen() {
      const { baseUrl, redirects } = exchange;
      return { ...lister.seen, baseUrl, redirects, walk, lastRequest };
    },
    close: transport.close,
  };
}

/** Processes items with the client's parallelism, and reports progress. */
function inSight(width: number, onRead: OnRead | undefined) {
  return async <T>(
    what: ReadProgress['what'],
    items: readonly T[],
    task: (item: T) => Promise<void>,
  ): Promise<void> => {
    const total = items.length;
    let done = 0;
    try {
      await inParallel(items, width, async (item) => {
        await task(item);
        done += 1;
        onRead?.({ what, done, total, ended: false });
      });
    } finally {
      onRead?.({ what, done, total, ended: true });
    }
  };
}

/**
 * Returns the texts to search for: with and without `www.`, in ASCII (`xn--`) and in the original letters, because a
 * service may store any of these.
 */
function spellings(domain: string): Iterable<string> {
  const forms = [domain, domain.replace(/^www\./, '')];
  return new Set([...forms, ...forms.map(domainToUnicode)].filter((form) => form !== ''));
}

interface Ways extends Omit<WalkOptions, 'fetch'> {
  readonly subject?: string;
}

/** The first page of a list, and its path. Further pages use the same parameters. */
type FirstPageAt = { readonly path: string; readonly page: DecodedPage };

/** Parameters that a service may refuse. The list works without them. */
const OPTIONAL = ['per_page', 'sort_by', 'sort', 'search_by'];

function createLister(exchange: Exchange, { shown }: Learner) {
  const refused = new Set<string>();
  let envelope: string | undefined;
  let hasCapitals = false;

  function fetchPage(path: string, subject?: string): Promise<DecodedPage> {
    const operation = subject === undefined ? 'list' : 'find';
    return exchange.request({ operation, subject, path }, ({ json, size }) => {
      const page = decodePage(json, shown.list);
      envelope ??= page.envelope;
      hasCapitals ||= page.records.some(({ domain }) => /[A-Z]|\.$/.test(domain));
      return { ...page, size };
    });
  }

  /** Reads the first page. Reads it again without the parameters that the service refuses. */
  async function readFirst(query: Readonly<Record<string, string>>, subject?: string): Promise<FirstPageAt> {
    const taken = new URLSearchParams(Object.entries(query).filter(([name]) => !refused.has(name)));
    const path = `${WEBSITES_PATH}?${taken}`;
    try {
      return { path, page: await fetchPage(path, subject) };
    } catch (error) {
      const { status, fields = {} } = error instanceof ServiceError ? error : {};
      const words = Object.keys(fields);
      const isRefused = (name: string): boolean => words.length === 0 || words.includes(name);
      const names = OPTIONAL.filter((name) => taken.has(name) && isRefused(name));
      if ((status !== 422 && status !== 400) || names.length === 0) throw error;
      for (const name of names) refused.add(name);
    }
    return readFirst(query, subject);
  }

  return {
    readFirst,
    list: ({ path, page }: FirstPageAt, { subject, ...ways }: Ways): Promise<Walk> =>
      listAll(path, { ...ways, fetch: (next) => fetchPage(next, subject) }, page),
    get seen() {
      return { envelope, hasCapitals, refusedParameters: [...refused] };
    },
  };
}
