/**
 * What a record shows of a change, as evidence that it was carried out. So an update has to be seen: a field that is not
 * shown may not have been taken. A create is known by its domain, and compared as a plan compares. Whoever asks the
 * other way round, whether somebody has changed a record since (staleness.ts, planner/undo.ts), takes a field that is not
 * shown for no sign of it.
 */
import { type Change, isSecretChange, type Update } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import { FIELDS, type FieldName } from '../../model/field-table.ts';
import type { Website } from '../../model/website.ts';
import { desiredOf } from '../../planner/desired-of-plan.ts';
import { compareWebsite } from '../../planner/diff.ts';

/**
 * Whether all that can be seen is as the change makes it; `undefined` where nothing can be seen, since the change is of
 * a secret alone. `shown` is what is there by its id, if anything is: another website is as good as none.
 */
export function showsAfter(change: Change, shown: Website | undefined): boolean | undefined {
  const website = shown && isNamed(shown, change.domain) ? shown : undefined;
  if (change.action === 'delete') return website === undefined;
  if (website === undefined) return false;
  if (change.action === 'create') {
    return Object.keys(compareWebsite(desiredOf(change), website, false).fields).length === 0;
  }
  const visible = changesShown(change, website);
  return visible.length === 0 ? undefined : visible.every(Boolean);
}

/** Whether a record is one from after the update: an old one, as of a cache, shows nothing of it. */
export function isAfter(change: Update, website: Website): boolean {
  return changesShown(change, website).some(Boolean);
}

/** For each change of a field that can be seen, whether it is. */
function changesShown({ fields }: Update, { settings }: Website): readonly boolean[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isSecretChange(field)) return [];
    const shown = settings[name as FieldName];
    return shown !== undefined && FIELDS[name as FieldName].kind.equal(field.after, shown);
  });
}
