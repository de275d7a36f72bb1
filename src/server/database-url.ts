/** Addresses of databases: `postgres://USER:PASSWORD@HOST:PORT/NAME`. Anything else names a file. */
import { WebsitesError } from '../model/errors.ts';

/** An address without its slashes, or with something before it, such as a quote; or words as libpq takes them. */
const MEANT_AS_ADDRESS = /^postgres(?:ql)?:|:\/\/|\bpassword\s*=/i;

/**
 * Whether `db` is the address of a PostgreSQL database rather than a file of SQLite. Throws a
 * WebsitesError (`usage`) for the address of something else, and for what was meant as one: it may hold a password and
 * must not be shown as the name of a file.
 */
export function isDatabaseUrl(db: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(db)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (MEANT_AS_ADDRESS.test(db)) throw noUrl();
    return false;
  }
  if (scheme === 'postgres' || scheme === 'postgresql') return true;
  throw new WebsitesError('usage', `${scheme}:// is not a supported database.`, {
    remedy: 'Name a file for SQLite, or postgres://HOST/NAME.',
  });
}

/** Whether a password is written in the address, which then must not be seen in a process list. */
export function holdsPassword(url: string): boolean {
  const { password, searchParams } = parsed(url);
  return password !== '' || searchParams.has('password');
}

/** A file as it is named, an address without user, password and parameters: what may be printed. */
export function shownDatabase(db: string): string {
  if (!isDatabaseUrl(db)) return db;
  const { host, pathname, searchParams } = parsed(db);
  return `postgres://${searchParams.get('host') ?? host}${pathname}`;
}

/** What the driver takes for `verify-full`, and warns that a later one will not. */
const ALIAS_OF_VERIFY_FULL = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/;

/** The address as the driver is to have it: TLS means a server that shows who it is, unless it asks for libpq's modes. */
export function driverUrl(url: string): string {
  return /[?&]uselibpqcompat=true/.test(url) ? url : url.replace(ALIAS_OF_VERIFY_FULL, '$1verify-full');
}

function parsed(url: string): URL {
  let found: URL;
  try {
    // A URL has no user without a host, but the socket of this machine is one: postgres://me@/name.
    found = new URL(url.replace('@/', '@localhost/'));
  } catch {
    throw noUrl();
  }
  // The host ends at a / ? or #, also at one of the password: the rest of that would be shown as the database.
  const { pathname, hash, search } = found;
  if ([pathname, hash, search].some((part) => part.includes('@'))) throw noUrl();
  return found;
}

function noUrl(): WebsitesError {
  return new WebsitesError('usage', 'The database URL is not valid.', {
    remedy: 'Write postgres://USER@HOST:PORT/NAME; special characters of a password percent-encoded.',
  });
}
