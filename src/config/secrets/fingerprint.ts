/**
 * Keyed digests of secrets: equal for the same secret of the same website, and useless to whoever lacks the
 * key. The key comes from WEBSITES_LOCK_KEY, or else from the API key, and from the address of the service.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import type { Secret } from '../../model/secret.ts';

export interface Fingerprints {
  /** Names the key, and tells nothing of it. */
  readonly keyId: string;
  /** HMAC-SHA-256 over domain and secret, so that equal passwords of two websites look different. */
  of(domain: string, secret: Secret): string;
}

/** Derives the key (HKDF, RFC 5869), so that neither fingerprint nor name tells anything of `material` or each other. */
export function createFingerprints(material: string | Uint8Array): Fingerprints {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', material, 'websites.lock/1', purpose, 32));
  const key = derive('fingerprint');
  return {
    keyId: derive('key id').toString('hex').slice(0, 16),
    of: (domain, secret) => createHmac('sha256', key).update(`${domain}\0${secret.reveal()}`).digest('hex'),
  };
}
