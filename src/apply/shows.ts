/** What a record shows of a change. */
import { type Change, isSecretChange } from '../core/change.ts';
import { compareWebsite } from '../core/compare.ts';
import { FIELDS, type FieldName } from '../core/fields.ts';
import { desiredOf } from '../core/plan-desired.ts';
import type { Website } from '../core/website.ts';

/**
 * Whether all that can be seen is as the change makes it; `undefined` where nothing can be seen, since the
 * change is of a secret alone. `website` is missing where there is no record.
 */
export function showsAfter(change: Change, website: Website | undefined): boolean | undefined {
  if (change.action === 'delete') return website === undefined;
  if (website === undefined) return false;
  if (change.action === 'create') {
    return Object.keys(compareWebsite(desiredOf(change), website, () => false).fields).length === 0;
  }
  const visible = Object.entries(change.fields).flatMap(([name, field]) => {
    if (isSecretChange(field)) return [];
    const shown = website.settings[name as FieldName];
    return shown !== undefined && FIELDS[name as FieldName].kind.equal(field.after, shown);
  });
  return visible.length === 0 ? undefined : visible.every(Boolean);
}
