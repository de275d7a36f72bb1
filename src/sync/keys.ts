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
import type { Seals } from '../model/seal.ts';
import type { Secret } from '../model/secret.ts';

/** 8 MiB and about 15 ms for one guess; every command that connects pays it once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

export function deriveKey(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

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

/** Joins shorter pieces, which costs less than an update for each. */
const LONG = 64 * 1024;

/** Seals (HMAC-SHA-256) by the holder of `key`. Their key comes from HKDF: it reveals nothing of the API key. */
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
