import type { Place } from './errors.ts';
import { type FieldName, SECRET_NAMES, type Settings } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { Risk } from './risk.ts';
import { formatSecretRef, type SecretRef } from './secret.ts';

/** `config`: the files changed. `drift`: the record changed on the service. `both`: both changed. */
export type Origin = 'config' | 'drift' | 'both';

export interface ValueChange {
  readonly before?: Value;
  readonly after: Value;
}

export interface SecretChange {
  readonly sensitive: true;
  readonly ref: SecretRef | null;
  /** True if the service shows that a password is set. The change may then omit it. */
  readonly set?: true;
  /** Keyed digest of the planned value. A saved plan compares it to notice a changed secret. */
  readonly fingerprint?: string;
}

export type FieldChange = ValueChange | SecretChange;

export type FieldChanges = { readonly [Name in FieldName]?: FieldChange };

interface Common {
  /** Normalized. The service may write the domain differently. */
  readonly domain: string;
  readonly risk: Risk;
  readonly notes: readonly string[];
  readonly origin?: Origin;
  /** Innermost group of the website. If no file declares the website now, its group at the earlier revision. */
  readonly group?: string | undefined;
}

export interface Create extends Common {
  readonly action: 'create';
  readonly fields: FieldChanges;
  readonly source: Place;
}

export interface Update extends Common {
  readonly action: 'update';
  readonly id: string;
  readonly before: Settings;
  readonly fields: FieldChanges;
  /** Declared values that the service does not show. They are sent along with this update. */
  readonly alongside: FieldChanges;
  readonly password_set?: boolean | undefined;
  /** Declared settings that the record already matches. They are sent if the service might reset them. */
  readonly kept?: readonly FieldName[] | undefined;
  /** Undeclared settings whose value on the service cannot be parsed, so that they cannot be sent. */
  readonly unreadable?: readonly FieldName[] | undefined;
  readonly source: Place;
}

export interface Delete extends Common {
  readonly action: 'delete';
  readonly id: string;
  readonly before: Settings;
  readonly password_set?: boolean | undefined;
  /** `prune`: not declared. `absent`: declared as absent. `undo`: created by the run that is undone. */
  readonly cause: 'prune' | 'absent' | 'undo';
  readonly source?: Place | undefined;
}

export type Change = Create | Update | Delete;

export type Action = Change['action'];

export const ACTIONS: readonly Action[] = ['create', 'update', 'delete'];

/** Returns all declared fields that a create or an update sends. */
export function allFields(change: Create | Update): FieldChanges {
  return change.action === 'update' ? { ...change.alongside, ...change.fields } : change.fields;
}

export function sentField(change: Change, name: FieldName): FieldChange | undefined {
  if (change.action === 'delete') return undefined;
  return change.fields[name] ?? (change.action === 'update' ? change.alongside[name] : undefined);
}

export function sendsSecret(change: Change): boolean {
  return SECRET_NAMES.some((name) => sentField(change, name) !== undefined);
}

/** Removes a password that is only sent along and was not available, so that the change is as it was sent. */
export function withoutPassword(change: Change): Change {
  if (change.action !== 'update') return change;
  const { password: _, ...alongside } = change.alongside;
  return { ...change, alongside };
}

export function hasSecret(fields: FieldChanges): boolean {
  return SECRET_NAMES.some((name) => fields[name] !== undefined);
}

export function isSecretChange(change: FieldChange): change is SecretChange {
  return 'sensitive' in change;
}

/** Returns the references of all secrets that `changes` send, by their formatted text. */
export function neededSecrets(changes: readonly Change[]): ReadonlyMap<string, SecretRef> {
  const refs = new Map<string, SecretRef>();
  for (const { ref } of secretsOf(changes)) if (ref !== null) refs.set(formatSecretRef(ref), ref);
  return refs;
}

export function* secretsOf(changes: readonly Change[]): Generator<SecretChange & Pick<Change, 'domain'>> {
  for (const change of changes) {
    for (const name of SECRET_NAMES) {
      const field = sentField(change, name);
      if (field !== undefined && isSecretChange(field)) yield { domain: change.domain, ...field };
    }
  }
}
