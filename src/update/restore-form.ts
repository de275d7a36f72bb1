/** What puts back settings that an update has reset. */
import type { Update } from '../model/change.ts';
import {
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  SECRET_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Traits } from '../model/service.ts';
import { cannotBeSent, type UpdateForm } from './update-form.ts';

/** A restore: a form with the values that go by it. */
export interface Restore {
  readonly form: Pick<UpdateForm, 'declared' | 'asRead'>;
  readonly settings: Settings;
}

/**
 * What puts back the settings `reset` of a record that shows `now`, and showed `before` what they are to be again:
 * everything else goes as it is, what is declared as declared. A website that was public is not made so again. `undefined`
 * where the write could lose a password that is not declared.
 */
export function restoreForm(
  change: Update,
  before: Settings,
  now: Settings,
  reset: readonly FieldName[],
  traits: Pick<Traits, 'wireNames'>,
): Restore | undefined {
  const isDeclared = (name: FieldName): boolean =>
    change.fields[name] !== undefined || change.alongside[name] !== undefined;
  if (now.privacy === PRIVACY.password && !isDeclared('password')) return undefined;
  const settings: SettingsDraft = {};
  for (const name of READABLE_NAMES) {
    if (isDeclared(name)) continue;
    const value = valueBack(name, change, before, now, reset.includes(name));
    if (value !== undefined && !cannotBeSent(name, value, traits)) settings[name] = value;
  }
  const declared = [...SECRET_NAMES, ...READABLE_NAMES].filter(isDeclared);
  return { form: { declared, asRead: Object.keys(settings) as FieldName[] }, settings };
}

/** What goes back of a setting that the change does not send; nothing of a privacy that would be public. */
function valueBack(
  name: FieldName,
  change: Update,
  before: Settings,
  now: Settings,
  isReset: boolean,
): Value | undefined {
  if (change.kept?.includes(name)) return change.before[name];
  if (name !== 'privacy') return isReset ? before[name] : now[name];
  // Whoever closed a public website meanwhile, be it the update, keeps it closed.
  const privacy = isReset && before.privacy !== PRIVACY.public ? before.privacy : now.privacy;
  return privacy === PRIVACY.public ? undefined : privacy;
}
