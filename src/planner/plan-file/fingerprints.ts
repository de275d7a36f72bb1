import { type Change, type FieldChanges, isSecretChange, sendsSecret } from '../../model/change.ts';
import type { SecretRef } from '../../model/secret.ts';

/** Adds a fingerprint to each secret that is available. A saved plan compares it to notice a changed secret. */
export async function withFingerprints(
  changes: readonly Change[],
  fingerprintOf: (domain: string, ref: SecretRef) => Promise<string | undefined>,
): Promise<readonly Change[]> {
  const stamped = async (domain: string, fields: FieldChanges): Promise<FieldChanges> => {
    const entries = Object.entries(fields).map(async ([name, field]) => {
      const ref = isSecretChange(field) ? field.ref : null;
      const fingerprint = ref && (await fingerprintOf(domain, ref));
      return [name, fingerprint ? { ...field, fingerprint } : field];
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  const marked: Change[] = [];
  for (const change of changes) {
    if (change.action === 'delete' || !sendsSecret(change)) {
      marked.push(change);
      continue;
    }
    const fields = await stamped(change.domain, change.fields);
    if (change.action === 'create') marked.push({ ...change, fields });
    else marked.push({ ...change, fields, alongside: await stamped(change.domain, change.alongside) });
  }
  return marked;
}
