/** What a plan by itself wants: the records that it changes, as they are to be. */
import { allFields, type Change, type FieldChanges, isSecretChange } from '../model/change.ts';
import type { Place } from '../model/errors.ts';
import type { FieldName, SettingsDraft } from '../model/field-table.ts';
import type { Plan } from '../model/plan.ts';
import type { Desired, DesiredWebsite } from '../model/website.ts';

const NOWHERE: Place = { file: 'the plan', line: 1, column: 1 };

/** Desired records that a plan leads to. */
export function desiredOfPlan({ changes }: Plan): Desired {
  return { websites: changes.map(desiredOf), ignore: [], protected: [] };
}

/** The record that a change means, as if it were declared. */
export function desiredOf(change: Change): DesiredWebsite {
  const { domain, source = NOWHERE } = change;
  if (change.action === 'delete') return { domain, state: 'absent', settings: {}, protect: false, source };
  return { domain, state: 'present', settings: settingsOf(allFields(change)), protect: false, source };
}

function settingsOf(fields: FieldChanges): DesiredWebsite['settings'] {
  const settings: SettingsDraft = {};
  for (const [name, field] of Object.entries(fields)) {
    settings[name as FieldName] = isSecretChange(field) ? field.ref : field.after;
  }
  return settings;
}
