/**
 * What an undo cannot bring back: a password is never shown, and never sent by it
 * (decision: "Secrets are references and are never shown").
 */
import { isSecretChange, type Update } from '../model/change.ts';
import { type FieldName, PRIVACY } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Website } from '../model/website.ts';
import { mayHavePassword } from './changes.ts';

export const PRIVATE_AGAIN = 'its password cannot be restored, so it comes back private';
const NOT_SENT = 'its password is not sent: a service whose update replaces the record would lose it';

/** The value that a field had; without the password that it was behind, a record comes back private. */
export function formerOf(name: FieldName, value: Value, { passwordSet }: Website): Value {
  return name === 'privacy' && value === PRIVACY.password && passwordSet === false ? PRIVACY.private : value;
}

/** What of its password an update that is changed back does not bring back, and may lose. */
export function passwordNotes(change: Update, website: Website): readonly string[] {
  return [...lostPassword(change, website), ...(mayHavePassword(website) ? [NOT_SENT] : [])];
}

function lostPassword(change: Update, { passwordSet }: Website): readonly string[] {
  const wasBehind = wasBehindPassword(change);
  if (wasBehind && passwordSet === false) return [PRIVATE_AGAIN];
  if (change.fields.password !== undefined) return ['the password that it had before cannot be restored'];
  if (change.alongside.password !== undefined) {
    return ['the password that it had before, if it was another, cannot be restored'];
  }
  return wasBehind && passwordSet === undefined
    ? ['its password cannot be restored where the service lost it']
    : [];
}

export function wasBehindPassword({ fields: { privacy } }: Update): boolean {
  return privacy !== undefined && !isSecretChange(privacy) && privacy.before === PRIVACY.password;
}
