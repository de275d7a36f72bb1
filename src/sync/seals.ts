/** Making seals: HMAC-SHA-256 with a key that is derived from the API key. */
import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Seals } from '../model/seal.ts';

/** Shorter pieces are put together, which costs less than to hand over each. */
const LONG = 64 * 1024;

/**
 * Seals of whoever holds `key` on the service `identity`. The key of the seals comes from HKDF-SHA-256 (RFC 5869): it
 * tells nothing of the API key, nor of anything else that is derived from it, and is another one on another service.
 */
export function createSeals(key: string | Buffer, identity: string): Seals {
  const own = createSecretKey(Buffer.from(hkdfSync('sha256', key, identity, 'websites-as-code seals 1', 32)));
  const of: Seals['of'] = (kind, text) => {
    const pieces = typeof text === 'string' ? [text] : text;
    const isShort = pieces.every(({ length }) => length < LONG);
    const hmac = createHmac('sha256', own);
    for (const piece of isShort ? [`${kind}\n${pieces.join('')}`] : [`${kind}\n`, ...pieces]) {
      hmac.update(piece);
    }
    return hmac.digest('hex');
  };
  return {
    of,
    fits(kind, text, seal) {
      const right = Buffer.from(of(kind, text));
      const given = Buffer.from(typeof seal === 'string' ? seal : '');
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
