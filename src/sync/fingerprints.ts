/** Fingerprints of the secrets in a plan: a saved plan is applied only with the secrets that it was made with. */
import { createHmac, hkdfSync } from 'node:crypto';
import type { SecretResolver } from '../config/secrets/resolve.ts';
import {
  allFields,
  type Change,
  type FieldChange,
  type FieldChanges,
  hasSecret,
  isSecretChange,
  sendsSecret,
} from '../model/change.ts';
import type { Secret } from '../model/secret.ts';

/** HMAC-SHA-256 over domain and secret, so that equal passwords of two websites look different. */
export type Fingerprint = (domain: string, secret: Secret) => string;

/** Derives the key (HKDF, RFC 5869), so that no fingerprint reveals anything of `material`. */
export function createFingerprint(material: string | Uint8Array): Fingerprint {
  const key = Buffer.from(hkdfSync('sha256', material, 'websites.plan/1', 'fingerprint', 32));
  return (domain, secret) => createHmac('sha256', key).update(`${domain}\0${secret.reveal()}`).digest('hex');
}

/** Adds a fingerprint to every secret that `changes` send and that is available here. */
export async function withFingerprints(
  changes: readonly Change[],
  secrets: SecretResolver,
  fingerprint: Fingerprint,
): Promise<readonly Change[]> {
  const marked: Change[] = [];
  for (const change of changes) {
    if (change.action === 'delete' || !sendsSecret(change)) {
      marked.push(change);
      continue;
    }
    const stamp = (fields: FieldChanges) =>
      hasSecret(fields) ? stamped(fields, change.domain, secrets, fingerprint) : fields;
    marked.push(
      change.action === 'create'
        ? { ...change, fields: await stamp(change.fields) }
        : { ...change, fields: await stamp(change.fields), alongside: await stamp(change.alongside) },
    );
  }
  return marked;
}

async function stamped(
  fields: FieldChanges,
  domain: string,
  secrets: SecretResolver,
  fingerprint: Fingerprint,
) {
  const entries: [string, FieldChange][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const ref = isSecretChange(field) ? field.ref : null;
    const secret = ref && (await secrets.resolve(ref).catch(() => undefined));
    entries.push([name, secret ? { ...field, fingerprint: fingerprint(domain, secret) } : field]);
  }
  return Object.fromEntries(entries) as FieldChanges;
}

/** Every secret of `changes`, with its domain and its fingerprint. */
export function* secretsOf(changes: readonly Change[]) {
  for (const change of changes) {
    if (change.action === 'delete') continue;
    for (const field of Object.values(allFields(change))) {
      if (isSecretChange(field)) yield { domain: change.domain, ...field };
    }
  }
}
