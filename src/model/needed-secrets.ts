/** Which secrets carrying out changes takes. */
import { type Change, type FieldChanges, isSecretChange } from './change.ts';
import { formatSecretRef, type SecretRef } from './secret.ts';

/** The references to what `changes` send, also to what only goes along with an update, by their formatted text. */
export function neededSecrets(changes: readonly Change[]): ReadonlyMap<string, SecretRef> {
  const refs = new Map<string, SecretRef>();
  // Alike changes share their fields.
  const sent = new Set<FieldChanges>();
  for (const change of changes) {
    for (const fields of sentFields(change)) sent.add(fields);
  }
  for (const fields of sent) {
    for (const field of Object.values(fields)) {
      if (isSecretChange(field) && field.ref !== null) refs.set(formatSecretRef(field.ref), field.ref);
    }
  }
  return refs;
}

function sentFields(change: Change): FieldChanges[] {
  if (change.action === 'delete') return [];
  if (change.action === 'update') return [change.fields, change.alongside];
  return [change.fields];
}
