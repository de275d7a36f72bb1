/** Where the service is: its base address, and addresses below it. */
import { whyNoBaseUrl } from '../model/base-url.ts';
import { WebsitesError } from '../model/errors.ts';
import { shownAddress } from '../util/redact.ts';

/**
 * Reads the base address of a service: http or https, a sub-folder is kept, a slash at the end is not.
 * Throws `base-url-invalid`, never printing a login or a query that the address holds.
 */
export function parseBaseUrl(text: string): URL {
  const fault = whyNoBaseUrl(text);
  if (fault !== undefined) {
    const message = `${JSON.stringify(shownAddress(text))} is not a service URL: ${fault.reason}.`;
    throw new WebsitesError('base-url-invalid', message, { remedy: fault.remedy });
  }
  const url = new URL(text.trim());
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A base address as it is written; a query or fragment, of which there is nothing but the mark, is left out. */
export function baseUrlText({ origin, pathname }: URL): string {
  return `${origin}${pathname}`.replace(/\/$/, '');
}

/** An address in the parts that a request is made of. Every request has one, so it is no URL, which takes a parser. */
export interface ServiceAddress {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
}

export function addressOf({ origin, pathname, search }: URL): ServiceAddress {
  return { origin, path: `${pathname}${search}` };
}

export function hrefOf({ origin, path }: ServiceAddress): string {
  return `${origin}${path}`;
}

/** The address of `path` (which starts with a slash and is encoded) below the base address. */
export function resolvePath(base: ServiceAddress, path: string): ServiceAddress {
  return { origin: base.origin, path: base.path === '/' ? path : `${base.path}${path}` };
}
