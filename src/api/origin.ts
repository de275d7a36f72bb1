/**
 * Where the service is, and where else the key may go: nowhere but to its twin with or without the
 * leading `www.`, or to the https form of either (design, decision 10 and Settled K).
 */
import { wwwTwin } from '../core/domain.ts';
import { WebsitesError } from '../core/errors.ts';
import { shownAddress } from '../core/login.ts';

/** Redirects that are followed for one request. */
const MOST_REDIRECTS = 3;

/**
 * Reads the base address of a service: http or https, a sub-folder is kept, a slash at the end is not.
 * Throws `base-url-invalid`, never printing a login or a query that the address holds.
 */
export function parseBaseUrl(text: string): URL {
  const shown = JSON.stringify(shownAddress(text));
  const refuse = (reason: string, remedy = 'Write it as https://analytics.example.com.'): WebsitesError =>
    new WebsitesError('base-url-invalid', `${shown} is not a base address: ${reason}.`, { remedy });
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw refuse('it cannot be read as an address');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refuse('it is neither http nor https');
  if (url.username !== '' || url.password !== '') {
    throw refuse('it holds a user name or password', 'Leave them out; the API key is WEBSITES_API_KEY.');
  }
  if (url.search !== '' || url.hash !== '') throw refuse('it has a query or a fragment');
  url.pathname = url.pathname.replace(/\/+$/, '');
  if (/\/api\/v1(?:\/websites)?$/.test(url.pathname)) {
    throw refuse('it ends in a path that is added by itself', 'Leave /api/v1 and what follows it out.');
  }
  return url;
}

/** A base address as it is written. */
export function baseUrlText({ href }: URL): string {
  return href.replace(/\/$/, '');
}

/** An address in the parts that a request is made of. Every request has one, so it is no URL, which takes a parser. */
export interface Address {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
}

export function addressOf({ origin, pathname, search }: URL): Address {
  return { origin, path: `${pathname}${search}` };
}

export function hrefOf({ origin, path }: Address): string {
  return `${origin}${path}`;
}

/** The address of `path` (which starts with a slash and is encoded) below the base address. */
export function resolvePath(base: Address, path: string): Address {
  return { origin: base.origin, path: base.path === '/' ? path : `${base.path}${path}` };
}

/** The base address moved to the origin of `to`. */
export function moveBase(base: Address, { origin }: URL): Address {
  return { origin, path: base.path };
}

/** What a redirect means. Addresses are shown without query and login. */
export type Redirect =
  | { readonly kind: 'follow'; readonly to: URL }
  /** "See there for what came of it": a write was dealt with somehow, and is not to be sent once more. */
  | { readonly kind: 'dealt-with' }
  /** The service asks for the key on a login page: it did not take ours. */
  | { readonly kind: 'login'; readonly to: string }
  | { readonly kind: 'refused'; readonly to: string; readonly reason: string };

export interface Redirection {
  readonly method: string;
  readonly status: number;
  /** The header. */
  readonly location: string | undefined;
  /** Redirects that were followed before this one. */
  readonly hops: number;
}

const LOGIN_PAGE = /(?:^|[/_-])(?:log|sign)[_-]?in\/?$/i;

/** Judges a redirect away from `from`. */
export function judgeRedirect(from: URL, { method, status, location, hops }: Redirection): Redirect {
  const to = location === undefined ? undefined : parseLocation(location, from);
  const shown = to === undefined ? 'nowhere' : `${to.origin}${to.pathname}`;
  if (to !== undefined && LOGIN_PAGE.test(to.pathname)) return { kind: 'login', to: shown };
  const isToItself = method !== 'GET' && to?.href === from.href;
  if (isToItself || (method === 'POST' && status === 303)) return { kind: 'dealt-with' };
  if (to === undefined) return { kind: 'refused', to: shown, reason: 'that is no address' };
  const reason = hops >= MOST_REDIRECTS ? 'it is one redirect too many' : whyNotFollowed(from, to);
  return reason === undefined ? { kind: 'follow', to } : { kind: 'refused', to: shown, reason };
}

function parseLocation(location: string, from: URL): URL | undefined {
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}

function whyNotFollowed(from: URL, to: URL): string | undefined {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') return 'it leaves http';
  if (from.protocol === 'https:' && to.protocol === 'http:') return 'it leads from https to http';
  // An explicit port stays; without one, each scheme has its own.
  const isNear = to.hostname === from.hostname || to.hostname === wwwTwin(from.hostname);
  if (!isNear || to.port !== from.port) return 'it leads to another host';
  if (to.username !== '' || to.password !== '') return 'it holds a login';
  if (to.pathname !== from.pathname || to.search !== from.search) return 'it leads to another path or query';
  return undefined;
}
