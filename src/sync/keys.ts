/**
 * What is derived from an API key: what it is known by, seals, and fingerprints of secrets. The key may be short or a word,
 * and plans and run files are read by many: each guess that is tested by them is to cost as much as `deriveKey` does.
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
import type { Secret } from '../model/secret.ts';

/** 8 MiB and about 15 ms for one guess; every command that connects pays it once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

/** The key that all else is derived from, of `secret` at the service `identity`: of another service it is another. */
export function deriveKey(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

/** What plans and run files tell API keys apart by. */
export function keyFingerprintOf(derived: Buffer): string {
  const digest = Buffer.from(hkdfSync('sha256', derived, '', 'key fingerprint', 8));
  return `scrypt:${digest.toString('hex')}`;
}

/** HMAC-SHA-256 over domain and secret, so that equal passwords of two websites look different. */
export type Fingerprint = (domain: string, secret: Secret) => string;

/** Derives the key (HKDF, RFC 5869), so that no fingerprint reveals anything of `material`. */
export function createFingerprint(material: string | Uint8Array): Fingerprint {
  const key = Buffer.from(hkdfSync('sha256', material, 'websites.plan/1', 'fingerprint', 32));
  return (domain, secret) => createHmac('sha256', key).update(`${domain}\0${secret.reveal()}`).digest('hex');
}

/** Shorter pieces are put together, which costs less than to hand over each. */
const LONG = 64 * 1024;

/**
 * Seals (HMAC-SHA-256) of whoever holds `key` on the service `identity`. Their key comes from HKDF: it tells nothing of the
 * API key, nor of anything else that is derived from it.
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
