/**
 * Values derived from an API key, which may be weak, while many read plans and run files: each guess tested against
 * them must cost as much as `deriveKey`.
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

/** 8 MiB and about 15 ms for one guess; every command that connects pays it once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

export function deriveKey(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

/** RFC 5869: what it returns reveals nothing of `key`. */
function expand(key: string | Uint8Array, salt: string, info: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, length));
}

export function keyFingerprintOf(derived: Buffer): string {
  return `scrypt:${expand(derived, '', 'key fingerprint', 8).toString('hex')}`;
}

/** HMAC-SHA-256 over domain and secret, so that equal passwords of two websites look different. */
export type Fingerprint = (domain: string, secret: Secret) => string;

export function createFingerprint(material: string | Uint8Array): Fingerprint {
  const key = expand(material, 'websites.plan/1', 'fingerprint');
  return (domain, secret) => createHmac('sha256', key).update(`${domain}\0${secret.reveal()}`).digest('hex');
}

/** Seals (HMAC-SHA-256) by the holder of `key`. */
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
