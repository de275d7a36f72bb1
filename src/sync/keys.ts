/**
 * Derives values from an API key. The key may be weak, and many people can read plans and run files. So each guess at
 * a key must cost as much as `deriveKey`.
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
import type { Seals } from '../model/plan.ts';
import type { Secret } from '../model/secret.ts';

/** One guess takes 8 MiB and about 15 ms. Every command that connects needs this once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

export function deriveKey(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

/** Derives a key as in RFC 5869. The result reveals nothing about `key`. */
function expand(key: string | Uint8Array, salt: string, info: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length));
}

export function keyFingerprintOf(derived: Buffer): string {
  return `scrypt:${expand(derived, '', 'key fingerprint', 8).toString('hex')}`;
}

/** HMAC-SHA-256 over domain and secret, so that equal passwords of two websites have different fingerprints. */
export type Fingerprint = (domain: string, secret: Secret) => string;

export function createFingerprint(material: string | Uint8Array): Fingerprint {
  const key = expand(material, 'websites.plan/1', 'fingerprint');
  return (domain, secret) => createHmac('sha256', key).update(`${domain}\0${secret.reveal()}`).digest('hex');
}

/** Returns seals (HMAC-SHA-256) that only a holder of `key` can make. */
export function createSeals(key: string | Buffer, identity: string): Seals {
  const own = createSecretKey(expand(key, identity, 'websites-as-code seals 1'));
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
