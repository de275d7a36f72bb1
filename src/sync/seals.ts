/**
 * What is derived from an API key: what it is known by, and seals (HMAC-SHA-256). The key may be short or a word, and plans
 * and journals are read by many: each guess that is tested by them is to cost as much as stretching it does.
 */
import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
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

/** 8 MiB and about 15 ms for one guess; every command that connects pays it once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

/** The key that all else is derived from, of `secret` at the service `identity`: of another service it is another. */
export function stretch(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

/** What plans and journals tell API keys apart by. */
export function keyFingerprintOf(stretched: Buffer): string {
  const digest = Buffer.from(hkdfSync('sha256', stretched, '', 'key fingerprint', 8));
  return `scrypt:${digest.toString('hex')}`;
}
