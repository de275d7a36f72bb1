/** API keys: made, checked, and kept as digests. They are long and random, so a plain hash is enough. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import { DEFAULT_ACCOUNT, type NewKey, type Store, type StoredKey } from './store.ts';

/** Printable characters that a header carries unchanged, and enough of them not to be guessed. */
const KEY = /^[\x21-\x7e]{16,512}$/;

/** A name begins with a letter, so that it is never taken for an id. */
const NAME = /^[a-z][\w.-]{0,63}$/i;

const A_NEW_KEY = 'Use a long random text, such as the output of: openssl rand -hex 32';

/** A new key: 256 random bits behind a prefix by which a leaked one is recognized. */
export function mintKey(): string {
  return `wsk_${randomBytes(32).toString('base64url')}`;
}

export function isKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Lets `key` into `account`, beside the keys that it has; a key that is known already stays where it
 * is. Throws a WebsitesError (`usage`) for a text that cannot be a key, or a key that was revoked.
 */
export async function addKey(store: Store, key: string, account: number = DEFAULT_ACCOUNT): Promise<void> {
  if (!isKey(key)) {
    throw new WebsitesError(
      'usage',
      'The API key is not 16 to 512 printable ASCII characters without spaces.',
      { remedy: A_NEW_KEY },
    );
  }
  // Nothing is to be written then, and so no other write to be waited for.
  if ((await store.findKey(digest(key))) !== undefined) return;
  if ((await store.addKey(newKey(key, account, null))) === 'revoked') {
    throw new WebsitesError('usage', 'The given API key is revoked.', {
      remedy: 'Use another one, or remove its file.',
    });
  }
}

/**
 * Lets `key` in as `name`. Throws a WebsitesError (`usage`) for a text that cannot be a name, or a name
 * that a key has.
 */
export async function addNamedKey(store: Store, key: string, name: string): Promise<StoredKey> {
  if (!NAME.test(name)) {
    throw new WebsitesError('usage', `${JSON.stringify(name)} cannot be the name of a key.`, {
      remedy: 'Use a letter and up to 63 further letters, digits, dots, hyphens and underscores.',
    });
  }
  const added = await store.addKey(newKey(key, DEFAULT_ACCOUNT, name));
  if (typeof added === 'object') return added;
  throw new WebsitesError('usage', `API key ${name} already exists.`, {
    remedy: 'Choose another name, or revoke that key first.',
  });
}

/**
 * Shuts out the key of this name or id, for every running service at once; returns it. Throws a
 * WebsitesError (`usage`) where there is none.
 */
export async function revokeKey(store: Store, nameOrId: string): Promise<StoredKey> {
  const keys = await store.listKeys(DEFAULT_ACCOUNT);
  const key = keys.find(({ id, name }) => name === nameOrId || String(id) === nameOrId);
  const now = formatInstant(Date.now());
  if (key !== undefined && (await store.revokeKey(DEFAULT_ACCOUNT, key.id, now))) return key;
  throw new WebsitesError('usage', `API key not found: ${JSON.stringify(nameOrId)}.`, {
    remedy: 'List them with "websites serve keys list", and the same --db.',
  });
}

/**
 * Returns a function that finds the key that a request presents, if it is let in, and notes the day of
 * its use: tried once a day by each process, and no reason to refuse the request.
 */
export function authenticator(store: Store): (key: string, now: string) => Promise<StoredKey | undefined> {
  const noted = new Map<number, string>();
  return async (key, now) => {
    const presented = digest(key);
    const known = await store.findKey(presented);
    if (known === undefined || !timingSafeEqual(Buffer.from(known.digest), Buffer.from(presented))) {
      return undefined;
    }
    const today = now.slice(0, 10);
    if (known.lastUsed !== today && noted.get(known.id) !== today) {
      noted.set(known.id, today);
      void store.markUsed(known.id, today).catch(() => {});
    }
    return known;
  };
}

function newKey(key: string, account: number, name: string | null): NewKey {
  return { digest: digest(key), account, name, createdAt: formatInstant(Date.now()) };
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
