import {
  allFields,
  type Change,
  type FieldChange,
  type FieldChanges,
  hasSecret,
  isSecretChange,
  sendsSecret,
} from '../../model/change.ts';
import type { SecretRef } from '../../model/secret.ts';

export type FingerprintOf = (domain: string, ref: SecretRef) => Promise<string | undefined>;

export async function withFingerprints(
  changes: readonly Change[],
  fingerprintOf: FingerprintOf,
): Promise<readonly Change[]> {
  const stamped = async (domain: string, fields: FieldChanges): Promise<FieldChanges> => {
    if (!hasSecret(fields)) return fields;
    const entries: [string, FieldChange][] = [];
    for (const [name, field] of Object.entries(fields)) {
      const ref = isSecretChange(field) ? field.ref : null;
      const fingerprint = ref && (await fingerprintOf(domain, ref));
      entries.push([name, fingerprint ? { ...field, fingerprint } : field]);
    }
    return Object.fromEntries(entries);
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

export function* secretsOf(changes: readonly Change[]) {
  for (const change of changes) {
    if (change.action === 'delete') continue;
    for (const field of Object.values(allFields(change))) {
      if (isSecretChange(field)) yield { domain: change.domain, ...field };
    }
  }
}
