import type { Place } from './errors.ts';
import { type FieldName, SECRET_NAMES, type Settings } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { Risk } from './risk.ts';
import { formatSecretRef, type SecretRef } from './secret.ts';

/** Whose change it is. `config`: the files changed. `drift`: the service did. `both`. */
export type Origin = 'config' | 'drift' | 'both';

/** A value's way from what the service shows (missing: not shown, or no record yet) to what is wanted. */
export interface ValueChange {
  readonly before?: Value;
  readonly after: Value;
}

/** A secret that is sent; `ref: null` removes it. Neither its old nor its new value is in here. */
export interface SecretChange {
  readonly sensitive: true;
  readonly ref: SecretRef | null;
  /** The service shows that one is set: it may be left out if that is safe. */
  readonly set?: true;
  /** Keyed digest of the value that was meant, by which a saved plan notices another one. */
  readonly fingerprint?: string;
}

export type FieldChange = ValueChange | SecretChange;

export type FieldChanges = { readonly [Name in FieldName]?: FieldChange };

interface Common {
  /** Normalized; the service may write it otherwise. */
  readonly domain: string;
  readonly risk: Risk;
  readonly notes: readonly string[];
  readonly origin?: Origin;
  /** The innermost group of the website; of one that is not declared any more, that of the earlier revision. */
  readonly group?: string;
}

export interface Create extends Common {
  readonly action: 'create';
  readonly fields: FieldChanges;
  readonly source: Place;
}

export interface Update extends Common {
  readonly action: 'update';
  readonly id: string;
  /** Every readable field as it was last read. */
  readonly before: Settings;
  readonly fields: FieldChanges;
  /** Declared values that the service does not show and that go along with this update. */
  readonly alongside: FieldChanges;
  readonly password_set?: boolean;
  /** Declared settings that the record shows as declared: they go along where the service might reset them. */
  readonly kept?: readonly FieldName[];
  /** Undeclared settings that the service shows and that cannot be read, so that they cannot be sent either. */
  readonly unreadable?: readonly FieldName[];
  readonly source: Place;
}

export interface Delete extends Common {
  readonly action: 'delete';
  readonly id: string;
  readonly before: Settings;
  /** Why: the files do not list it, or say `state: absent`, or a run that created it is undone. */
  readonly cause: 'prune' | 'absent' | 'undo';
  readonly source?: Place;
}

export type Change = Create | Update | Delete;

export type Action = Change['action'];

export const ACTIONS: readonly Action[] = ['create', 'update', 'delete'];

/** The fields that a create or an update sends for the files, those that go along with it too. */
export function allFields(change: Create | Update): FieldChanges {
  return change.action === 'update' ? { ...change.alongside, ...change.fields } : change.fields;
}

export function sendsSecret(change: Change): boolean {
  if (change.action === 'delete') return false;
  return hasSecret(change.fields) || (change.action === 'update' && hasSecret(change.alongside));
}

/** The change without a password that goes along with it: it was not sent. */
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
