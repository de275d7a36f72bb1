/** The service over HTTP: the operations of the interface and the look-up (specification, section 4). */
import { domainToUnicode } from 'node:url';
import { parseBaseUrl } from '../model/base-url.ts';
import { LARGEST_PAGE, WEBSITES_PATH } from '../model/contract.ts';
import { domainKey, isNamed } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { startById } from '../model/identity.ts';
import type { FirstPage, Listing, OnRead, WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import type { Environment } from '../util/environment.ts';
import { type Learner, startLearning } from './capabilities.ts';
import { createFormEncoder, recordPath } from './contract.ts';
import { decodeOne, type ReadShown, ShapeError, shareShown } from './decode.ts';
import { proxySecrets } from './http/proxy.ts';
import type { RouteOptions } from './http/route.ts';
import { createTransport } from './http/transport.ts';
import { createLister, type Listed } from './list.ts';
import { areFalling, type Walk } from './list-walk.ts';
import { createExchange, type Exchange, type ExchangeOptions, type RequestEvent } from './request.ts';

export interface ClientOptions extends Omit<ExchangeOptions, 'transport' | 'secrets'> {
  /** Requests, and connections, that are open at once. */
  readonly parallelism: number;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from it. */
  readonly environment: Environment;
  /** Bounds the making of one connection, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** The form of the favorite, unless it is taken from the answers (`service.favorite`). */
  readonly favorite?: 'favorited_at' | 'favorite' | undefined;
  /** Called while all records are listed. */
  readonly onRead?: OnRead | undefined;
  /** How connections are made, if not the system's way. */
  readonly connect?: Pick<RouteOptions, 'lookup' | 'ca'>;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

const ALL = { per_page: LARGEST_PAGE, sort_by: 'id', sort: 'desc' } as const;

/** What the requests so far have met with. */
export interface Seen extends Listed, Pick<Exchange, 'baseUrl' | 'redirects'> {
  /** The last list of all records. */
  readonly walk: Walk | undefined;
  readonly lastRequest: RequestEvent | undefined;
}

export interface Client extends WebsiteService {
  /** The first page of the list: it shows how many requests the whole one takes. */
  firstPage(): Promise<FirstPage>;
  /** Requests that a look-up of a domain that is not there takes, at the least. */
  lookUpCost(domain: string): number;
  readonly seen: Seen;
  close(): void;
}

/**
 * Throws `base-url-invalid` or `usage` before anything is sent. The operations throw
 * ServiceErrors, and `usage` if the environment names a proxy that is none.
 */
export function createClient(options: ClientOptions): Client {
  const { clock, favorite, parallelism, environment, onRead } = options;
  const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS } = options;
  checkKey(options.key);
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
  const pinned = favorite === undefined ? {} : { favorited_at: favorite };
  const learner = startLearning(pinned);
  const readShown = shareShown(pinned);
  const lister = createLister(exchange, readShown, (shown) => learner.learn(shown, 'list'));
  let walk: Walk | undefined;

  const onPage = (done: number, total?: number): void =>
    onRead?.({ what: 'list', done, total, ended: false });

  async function list(readAt = clock.now(), begun?: Parameters<typeof lister.list>[2]): Promise<Listing> {
    onPage(0);
    try {
      walk = await lister.list(ALL, { parallelism, onPage }, begun);
    } finally {
      onRead?.({ what: 'list', done: walk?.records.length ?? 0, ended: true });
    }
    const { records, proven, reason, sharedIds } = walk;
    const unnamed = records.filter(({ domain }) => domain === '');
    const websites = unnamed.length === 0 ? records : records.filter(({ domain }) => domain !== '');
    const more = { ...(sharedIds.length > 0 && { sharedIds }), ...(unnamed.length > 0 && { unnamed }) };
    return { websites, complete: proven === 'yes', reason, readAt, ...more };
  }

  return {
    traits: learner.traits,
    list: () => list(),

    async firstPage() {
      const readAt = clock.now();
      const begun = await lister.begin(ALL);
      const { records, total, next } = begun.page;
      return {
        websites: records,
        isFalling: areFalling(records),
        total,
        isLast: next === null || (total !== undefined && next === undefined && total === records.length),
        readAt,
        rest: () => list(readAt, begun),
      };
    },

    async find(domain, mostPages) {
      const byId = startById();
      const isExact = (website: Website): boolean => domainKey(website.domain) === domain;
      const shared = [];
      let proven = true;
      for (const search of spellings(domain)) {
        const asked = { search, search_by: 'domain', per_page: LARGEST_PAGE } as const;
        const ways = { parallelism, subject: domain, shortIsWhole: true, mostPages } as const;
        const matches = await lister.list(asked, ways);
        proven &&= matches.proven === 'yes';
        shared.push(...matches.sharedIds);
        const named = matches.records.filter((website) => isNamed(website, domain));
        for (const website of named) byId.add(website);
        if (named.some(isExact)) break;
      }
      const sharedIds = [...shared, ...byId.shared()];
      const websites = [...byId.records.values()]
        .filter(({ id }) => sharedIds.every((one) => one.id !== id))
        .sort((a, b) => Number(isExact(b)) - Number(isExact(a)));
      return sharedIds.length > 0 ? { websites, proven: false, sharedIds } : { websites, proven };
    },

    lookUpCost: (domain) => new Set(spellings(domain)).size,
    ...recordOperations(exchange, learner, readShown),
    get seen() {
      const { baseUrl, redirects } = exchange;
      return { ...lister.seen, baseUrl, redirects, walk, lastRequest };
    },
    close: () => transport.close(),
  };
}

/** The operations on one record; what their answers show is learned. */
function recordOperations(
  exchange: Exchange,
  { traits, learn, noteSent }: Learner,
  readShown: ReadShown,
): Pick<WebsiteService, 'read' | 'create' | 'update' | 'remove'> {
  const encode = createFormEncoder();

  /** `domain` is the name of a record that shows none. */
  function decodeRecord(json: unknown, from: 'read' | 'write', domain?: string): Website {
    const { website, shown } = decodeOne(json, domain, readShown);
    learn(shown, from);
    return website;
  }

  return {
    read(id) {
      const call = {
        operation: 'read',
        method: 'GET',
        path: recordPath(id),
        subject: `record #${id}`,
      } as const;
      return exchange.carryOut(call, ({ isMissing, json }) => {
        if (isMissing) return undefined;
        const website = decodeRecord(json, 'read');
        // Another record would be written over the one asked for.
        if (website.id !== id) throw new ShapeError('id', `expected ${id}`);
        return website;
      });
    },

    create(domain, values, permit) {
      const form = encode(values, traits.wireNames, domain);
      const call = { operation: 'create', method: 'POST', path: WEBSITES_PATH, subject: domain } as const;
      return exchange.carryOut({ ...call, form, values, permit }, ({ json }) => {
        noteSent(values);
        return decodeRecord(json, 'write', domain);
      });
    },

    update(id, domain, values, permit) {
      const form = encode(values, traits.wireNames);
      const call = { operation: 'update', method: 'PUT', path: recordPath(id), subject: domain } as const;
      return exchange.carryOut({ ...call, form, values, permit }, ({ isMissing, json }) => {
        if (isMissing) return 'vanished';
        noteSent(values);
        try {
          return decodeRecord(json, 'write', domain);
        } catch (error) {
          // The record is what it is; an answer that does not show it says merely that it was updated.
          if (error instanceof ShapeError) return { id, domain, settings: {} };
          throw error;
        }
      });
    },

    remove(id, domain, permit) {
      const call = { operation: 'delete', method: 'DELETE', path: recordPath(id), subject: domain } as const;
      return exchange.carryOut({ ...call, permit }, () => undefined);
    },
  };
}

/** The texts to search for: as it is, without `www.`, and both as a service may keep them, with letters of its own. */
function spellings(domain: string): Iterable<string> {
  const forms = [domain, domain.replace(/^www\./, '')];
  return new Set([...forms, ...forms.map(domainToUnicode)].filter((form) => form !== ''));
}

/**
 * Checks that `key` can travel in a header (RFC 6750, section 2.1). Throws `usage`, which does not print it, for one
 * with other than visible ASCII characters.
 */
function checkKey(key: string): void {
  const what = [...key].find((character) => character <= ' ' || character > '~');
  if (what === undefined) return;
  const kind = /\s/.test(what) ? 'a space or a line end' : 'a character that no key has';
  throw new WebsitesError('usage', `The API key contains ${kind}.`, {
    remedy: 'Copy the key again, without quotes and line ends.',
  });
}
