import { allFields, type Update } from '../model/change.ts';
import { FIELDS, type FieldName, PRIVACY, READABLE_NAMES } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Effect, Shows } from '../model/run.ts';

/**
 * Returns undeclared differences between two readings of a record. A removed password counts, unless privacy changed
 * from `password`. A new password does not count, because nothing is lost.
 */
export function changedBetween(
  change: Update,
  before: Shows,
  after: Shows,
  declared = [...Object.keys(allFields(change)), ...(change.kept ?? [])] as readonly FieldName[],
): readonly Effect[] {
  const { domain, id } = change;
  const effects = READABLE_NAMES.flatMap((field): Effect[] => {
    const [was, is] = [before.settings[field], after.settings[field]];
    if (declared.includes(field) || was === undefined || is === undefined) return [];
    return FIELDS[field].kind.equal(was, is) ? [] : [{ domain, id, field, before: was, after: is }];
  });
  const isLost = before.passwordSet === true && after.passwordSet === false;
  const { privacy } = change.fields;
  const leavesIt = privacy !== undefined && 'before' in privacy && privacy.before === PRIVACY.password;
  if (!isLost || leavesIt || declared.includes('password')) return effects;
  return [...effects, { domain, id, field: 'password', before: true, after: false }];
}

export function plainValueText(field: FieldName, value: Value): string {
  if (FIELDS[field].secret) return value === true ? 'set' : 'not set';
  return [FIELDS[field].kind.show(value)].flat().join(', ') || 'empty';
}
