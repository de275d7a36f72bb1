import {
  ACTIONS,
  type Action,
  allFields,
  type Change,
  type Delete,
  type FieldChange,
  isSecretChange,
} from '../model/change.ts';
import { compareDomains, domainKey } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import { FIELDS, type FieldName, PRIVACY, READABLE_NAMES, type SettingsDraft } from '../model/field-table.ts';
import { DELETED, DELETED_NOTES, gravest, PASSWORD_NOTES, type Risk, ROUTINE } from '../model/risk.ts';
import type { Shows } from '../model/run.ts';
import type { DesiredWebsite, Website } from '../model/website.ts';
import { createComparison } from './diff.ts';
import type { Pair } from './match.ts';

export function changeOf({ desired, website }: Pair, compare = createComparison(false)): Change | undefined {
  if (desired.state === 'absent') return website && deleteOf(website, 'absent', desired);
  const { domain, source, group, settings } = desired;
  const { fields, alongside, kept } = compare(desired, website);
  if (website !== undefined && Object.keys(fields).length === 0) return undefined;
  const known = { domain, group, fields, source };
  if (website === undefined) return { action: 'create', ...known, risk: ROUTINE, notes: NO_NOTES };
  const unreadable = READABLE_NAMES.filter(
    (name) => website.unreadable?.[name] && settings[name] === undefined,
  );
  return {
    action: 'update',
    ...known,
    id: website.id,
    before: website.settings,
    alongside,
    password_set: website.passwordSet,
    kept: kept.length === 0 ? undefined : kept,
    unreadable: unreadable.length === 0 ? undefined : unreadable,
    risk: gravest(Object.entries(fields).map(([name, change]) => fieldRisk(name as FieldName, change))),
    notes: mayHavePassword(website) && settings.password === undefined ? PASSWORD_NOTES : NO_NOTES,
  };
}

// A constant, because many changes share it.
const NO_NOTES: readonly string[] = [];

export function deleteOf(website: Website, cause: Delete['cause'], desired?: DesiredWebsite): Delete {
  return {
    action: 'delete',
    domain: desired?.domain ?? domainKey(website.domain),
    group: desired?.group,
    id: website.id,
    before: website.settings,
    password_set: website.passwordSet,
    cause,
    source: desired?.source,
    risk: DELETED,
    notes: DELETED_NOTES,
  };
}

const NOWHERE: Place = { file: 'the plan', line: 1, column: 1 };

export function desiredOf(change: Change): DesiredWebsite {
  const { domain, source = NOWHERE } = change;
  if (change.action === 'delete') return { domain, state: 'absent', settings: {}, protect: false, source };
  const settings: SettingsDraft = {};
  for (const [name, field] of Object.entries(allFields(change))) {
    settings[name as FieldName] = isSecretChange(field) ? field.ref : field.after;
  }
  return { domain, state: 'present', settings, protect: false, source };
}

export function fieldRisk(name: FieldName, change: FieldChange): Risk | undefined {
  const field = FIELDS[name];
  const before = isSecretChange(change) ? undefined : change.before;
  return field.risk?.(before, isSecretChange(change) ? change.ref : change.after);
}

export function mayHavePassword({ passwordSet, settings }: Shows): boolean {
  return passwordSet ?? settings.privacy === PRIVACY.password;
}

export function isPrune(change: Change): boolean {
  return change.action === 'delete' && change.cause === 'prune';
}

/** True for a delete that is not declared. It may be half of a rename, so it waits until all creates succeeded. */
export function isImplied(change: Change): boolean {
  return change.action === 'delete' && change.cause !== 'absent';
}

/** Orders creates, updates, deletes, each by domain (decision: "A failed record does not stop the others"). */
export function inOrder(changes: readonly Change[]): readonly Change[] {
  return ACTIONS.flatMap((action) =>
    changes.filter((change) => change.action === action).sort((a, b) => compareDomains(a.domain, b.domain)),
  );
}

export function countByAction(changes: readonly Change[]): Record<Action, number> {
  const counts = { create: 0, update: 0, delete: 0 };
  for (const change of changes) counts[change.action] += 1;
  return counts;
}
