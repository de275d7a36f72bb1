/** Making seals: HMAC-SHA-256 with a key that is derived from the API key. */
import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Seals } from '../core/seal.ts';

/**
 * Seals of whoever holds `key` on the service `identity`. The key of the seals comes from HKDF-SHA-256 (RFC 5869): it
 * tells nothing of the API key, nor of anything else that is derived from it, and is another one on another service.
 */
export function createSeals(key: string, identity: string): Seals {
  const own = createSecretKey(Buffer.from(hkdfSync('sha256', key, identity, 'websites.seal/1', 32)));
  const of: Seals['of'] = (kind, text) => createHmac('sha256', own).update(`${kind}\n${text}`).digest('hex');
  return {
    of,
    fits(kind, text, seal) {
      const right = Buffer.from(of(kind, text));
      const given = Buffer.from(typeof seal === 'string' ? seal : '');
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
