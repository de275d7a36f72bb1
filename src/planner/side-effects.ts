import type { Update } from '../model/change.ts';
import { FIELDS, type FieldName, PRIVACY, READABLE_NAMES } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Effect, Shows } from '../model/run.ts';
import { isDeclared } from './update-form.ts';

/**
 * Returns undeclared differences between two readings of a record. A removed password counts, unless privacy changed
 * from `password`. A new password does not count, because nothing is lost.
 */
export function changedBetween(
  change: Update,
  before: Shows,
  after: Shows,
  declared?: readonly FieldName[],
): readonly Effect[] {
  const { domain, id } = change;
  const isOwn = (name: FieldName): boolean => declared?.includes(name) ?? isDeclared(name, change);
  const effects: Effect[] = [];
  for (const field of READABLE_NAMES) {
    const [was, is] = [before.settings[field], after.settings[field]];
    const isKnown = was !== undefined && is !== undefined;
    if (isKnown && !FIELDS[field].kind.equal(was, is) && !isOwn(field))
      effects.push({ domain, id, field, before: was, after: is });
  }
  if (before.passwordSet !== true || after.passwordSet !== false || isOwn('password')) return effects;
  const { privacy } = change.fields;
  const leavesIt = privacy !== undefined && 'before' in privacy && privacy.before === PRIVACY.password;
  if (!leavesIt) effects.push({ domain, id, field: 'password', before: true, after: false });
  return effects;
}

export function plainValueText(field: FieldName, value: Value): string {
  if (FIELDS[field].secret) return value === true ? 'set' : 'not set';
  return [FIELDS[field].kind.show(value)].flat().join(', ') || 'empty';
}
