import { formatPlace } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { GROUP_KEYS, MAX_NESTED_GROUPS } from '../schema/keys.ts';
import { isMap, type Mapping, type Spot } from './spot.ts';
import { readMap, readSettings } from './validate.ts';

export interface DeclaredGroup {
  readonly parent: string | undefined;
  readonly inherited: Inherited;
  readonly at: Spot;
  readonly map: Mapping;
}

export function isGroup(value: unknown): value is Mapping {
  return isMap(value) && 'group' in value && !('domain' in value);
}

/** A value of `websites`, and the settings that its records inherit. */
export interface Level {
  readonly at: Spot;
  readonly value: unknown;
  readonly inherited: Inherited;
  readonly depth: number;
}

/** Reads the group at `index` of `outer` and returns its content. Returns nothing if it is nested too deeply. */
export function readGroup(
  outer: Level,
  index: number,
  map: Mapping,
  groups: Map<string, DeclaredGroup>,
): Level | undefined {
  const at = outer.at.in(index);
  if (outer.depth === MAX_NESTED_GROUPS) {
    const message = `groups are nested more than ${MAX_NESTED_GROUPS} deep here`;
    at.in('group').report({ message, remedy: 'Move the group to an outer level.' }, 'key');
    return undefined;
  }
  const { group: parent } = outer.inherited;
  const { group: name } = readMap(at, map, GROUP_KEYS);
  const inherited = below(outer.inherited, readSettings(at.in('defaults'), map.defaults), name ?? parent);
  const first = name === undefined ? undefined : groups.get(name);
  if (first !== undefined) {
    const message = `the group ${name} is declared twice, first at ${formatPlace(first.at.in('group').place)}`;
    const remedy = 'Give it another name, or put its records into the first one.';
    at.in('group').report({ message, remedy });
  } else if (name !== undefined) groups.set(name, { parent, inherited, at, map });
  return { at: at.in('websites'), value: map.websites, inherited, depth: outer.depth + 1 };
}

export interface Inherited {
  readonly settings: Settings;
  readonly group: string | undefined;
  readonly alone: Settings;
}

export function inheritedOf(settings: Settings, group?: string): Inherited {
  return { settings, group, alone: resolvedOf(settings) };
}

/** Adds the defaults of a level to those of the outer levels. A value replaces the outer one; lists are not joined. */
export function below({ settings }: Inherited, own: Settings, group: string | undefined): Inherited {
  return inheritedOf({ ...settings, ...own }, group);
}

export function resolve(outer: Inherited, own: Settings): Settings {
  for (const _ in own) return resolvedOf({ ...outer.settings, ...own }, isPassword(own.password));
  return outer.alone;
}

/** An inherited password applies only to records whose privacy is `password`. */
function resolvedOf(settings: Settings, isOwn = false): Settings {
  const isIdle = !isOwn && settings.privacy !== PRIVACY.password;
  if (!isIdle || !isPassword(settings.password)) return Object.freeze(settings);
  const { password: _, ...rest } = settings;
  return Object.freeze(rest);
}

export function isPassword(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}
