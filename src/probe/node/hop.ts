/** One hop of a website: its name is looked up, the addresses are checked, and one of them is asked. */
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { bareHost } from '../../client/http/proxy.ts';
import { WebsitesError } from '../../model/errors.ts';
import { listen } from '../../util/abort.ts';
import type { Environment } from '../../util/environment.ts';
import type { Failure, Outcome } from '../verdict.ts';
import { decodeStart } from './body.ts';
import { connect } from './connect.ts';
import { broken, notConnected } from './failure.ts';
import { type Response, request } from './request.ts';
import type { Resolve, Resolved } from './resolver.ts';
import type { Site } from './site.ts';
import { createAddressTurns } from './turns.ts';

export interface HopOptions {
  readonly resolve: Resolve;
  /** Whether an address may be connected to. */
  readonly mayConnect: (address: string) => boolean;
  /** Where the two schemes are spoken. */
  readonly ports: { readonly https: number; readonly http: number };
  /** A text that the HTML should contain. */
  readonly lookFor?: string | undefined;
  readonly userAgent: string;
  /** Where the proxy variables are read from. */
  readonly environment: Environment;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  readonly ca?: string;
}

export interface Hop {
  readonly url: URL;
  /** The address that was asked. */
  readonly address?: string;
  readonly status?: number;
  /** Missing where it is a redirect, to `location`. */
  readonly outcome?: Outcome;
  readonly location?: string;
}

/** Goes to a URL. `turn` is one that the website has taken already; a rejection ends the whole probe. */
export type GoTo = (url: URL, site: Site, turn?: Promise<void>) => Promise<Hop>;

/** Connections to one address that are open at once. */
const MOST_TO_ADDRESS = 4;
/** The part of its time that a website may take to be connected to by https where http is tried afterwards. */
const HTTPS_SHARE = 0.5;
/** How long a refusal of https by an address holds for other websites there, in milliseconds. */
const REFUSAL_HOLDS = 10_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** `first` tries https, then http; `next` follows a redirect. */
export function createHops(options: HopOptions): { readonly first: GoTo; readonly next: GoTo } {
  const addressTurns = createAddressTurns(MOST_TO_ADDRESS);
  const refusals = new Map<string, { readonly failure: Failure; readonly until: number }>();
  const secureContext = createSecureContext(options.ca === undefined ? {} : { ca: options.ca });
  const lookedFor = options.lookFor === undefined ? undefined : Buffer.from(options.lookFor);
  const asking = { userAgent: options.userAgent, wantsBody: lookedFor !== undefined };

  /** The addresses that may be asked, or why there are none. */
  async function addressesOf(
    url: URL,
    site: Site,
    turn?: Promise<void>,
  ): Promise<readonly string[] | Outcome> {
    const host = bareHost(url);
    const resolved = await site.spend(() => lookUp(host, options.resolve, site.signal), turn);
    if (resolved.kind !== 'found') {
      return { kind: resolved.kind === 'missing' ? 'no-address' : 'no-resolver', reason: resolved.reason };
    }
    const open = resolved.addresses.filter(options.mayConnect);
    return open.length > 0 ? open : { kind: 'closed-address', address: resolved.addresses[0] ?? host };
  }

  /** Makes one request. `share` is the part of the time left that the connection may take. */
  async function ask(
    url: URL,
    addresses: readonly string[],
    share: number,
    site: Site,
  ): Promise<Hop | Failure> {
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port) || options.ports[isSecure ? 'https' : 'http'];
    const place = await addressTurns.take(addresses);
    try {
      return await site.spend(async () => {
        const withinMs = share < 1 ? Math.max(1, Math.ceil(site.left() * share)) : undefined;
        const way = { addresses, port, environment: options.environment, secureContext, withinMs };
        const reached = await connect(url, way, site.signal).catch(failed);
        if ('reason' in reached) return reached;
        const { socket, address } = reached;
        place.keepOnly(address);
        try {
          const response = await request(url, socket, asking, site.signal);
          return { url, address, status: response.status, ...(await read(response)) };
        } catch (error) {
          return broken(error as NodeJS.ErrnoException, false);
        }
      });
    } finally {
      place.leave();
    }
  }

  /** Thousands of websites may share an address: where it has just refused https, the others go to http at once. */
  async function askSecurely(url: URL, addresses: readonly string[], site: Site): Promise<Hop | Failure> {
    const key = addresses.join();
    const refusal = refusals.get(key);
    if (refusal !== undefined && performance.now() < refusal.until) return refusal.failure;
    const asked = await ask(url, addresses, HTTPS_SHARE, site);
    if ('kind' in asked && asked.kind === 'refused') {
      refusals.set(key, { failure: asked, until: performance.now() + REFUSAL_HOLDS });
    }
    return asked;
  }

  async function read({ status, headers, body, cut }: Response): Promise<Pick<Hop, 'location' | 'outcome'>> {
    const { location, 'content-encoding': coding } = headers;
    if (REDIRECTS.has(status) && location !== undefined) return { location };
    if (lookedFor === undefined) return { outcome: { kind: 'answer', status } };
    const { bytes, unread } = await decodeStart(body, coding);
    const why = cut === undefined ? unread : broken(cut, true).reason;
    const hasText = bytes.includes(lookedFor);
    return { outcome: { kind: 'answer', status, hasText, unread: why, isCut: cut !== undefined } };
  }

  return {
    async first(url, site, turn) {
      const addresses = await addressesOf(url, site, turn);
      if ('kind' in addresses) return { url, outcome: addresses };
      const secure = await askSecurely(url, addresses, site);
      if ('url' in secure) return secure;
      if (secure.kind === 'certificate') return { url, outcome: { kind: 'failed', failures: [secure] } };
      const plain = await ask(new URL(url.href.replace(/^https/, 'http')), addresses, 1, site);
      return 'url' in plain ? plain : { url, outcome: { kind: 'failed', failures: [secure, plain] } };
    },
    async next(url, site) {
      const addresses = await addressesOf(url, site);
      if ('kind' in addresses) return { url, outcome: addresses };
      const hop = await ask(url, addresses, 1, site);
      return 'url' in hop ? hop : { url, outcome: { kind: 'failed', failures: [hop] } };
    },
  };
}

/** Why there is no connection. Throws what is no matter of the website, such as a proxy that is none. */
function failed(error: NodeJS.ErrnoException): Failure {
  if (error instanceof WebsitesError) throw error;
  return notConnected(error);
}

async function lookUp(host: string, resolve: Resolve, signal: AbortSignal): Promise<Resolved> {
  if (isIP(host) !== 0) return { kind: 'found', addresses: [host] };
  let unlisten = (): void => undefined;
  const late = new Promise<Resolved>((done) => {
    unlisten = listen(signal, () => done({ kind: 'failed', reason: 'the resolver did not answer in time' }));
  });
  return Promise.race([resolve(host), late]).finally(unlisten);
}
