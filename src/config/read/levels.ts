/**
 * Levels: the top of the files, the groups around a record, and the record itself. Of each field the nearest level that
 * names it decides (decision: "The nearest level decides a setting").
 */
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { ReadSettings } from './settings.ts';

/** What the levels around a record come to. */
export interface Inherited extends ReadSettings {
  /** The innermost group. */
  readonly group: string | undefined;
  /** Settings of a record that declares none itself: one object for all of them. */
  readonly alone: Settings;
}

/** What surrounds the outermost level. */
export const NO_LEVEL: Inherited = inheritedOf({ settings: Object.freeze({}), failed: new Set() });

/** Lays a level over those around it, for the records of `group`. Each value is replaced whole: lists are not joined. */
export function below(outer: Inherited, own: ReadSettings, group: string | undefined): Inherited {
  const inherited = [...outer.failed].filter((name) => own.settings[name] === undefined);
  const settings = { ...outer.settings, ...own.settings };
  return inheritedOf({ settings, failed: new Set([...own.failed, ...inherited]) }, group);
}

export function inheritedOf({ settings, failed }: ReadSettings, group?: string): Inherited {
  return { settings, failed, group, alone: resolvedOf(settings) };
}

/** The settings of a record that declares `own` itself. */
export function resolve(outer: Inherited, own: Settings): Settings {
  for (const _ in own) return resolvedOf({ ...outer.settings, ...own }, isPassword(own.password));
  return outer.alone;
}

/** An inherited password holds for the records that have one, which are those whose privacy is `password`. */
function resolvedOf(settings: Settings, isOwn = false): Settings {
  const isIdle = !isOwn && settings.privacy !== PRIVACY.password;
  if (!isIdle || !isPassword(settings.password)) return Object.freeze(settings);
  const { password: _, ...rest } = settings;
  return Object.freeze(rest);
}

export function isPassword(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}
