/** Where the service is: its base address, and addresses below it. */
import { WebsitesError } from '../core/errors.ts';
import { shownAddress } from '../core/login.ts';

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
