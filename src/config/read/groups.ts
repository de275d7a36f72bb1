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

/** Every map under `websites`: groups and their content, records, and references to files. */
export function* mapsIn(websites: unknown, depth = 0): Generator<Mapping> {
  for (const item of Array.isArray(websites) ? websites : [websites]) {
    if (!isMap(item)) continue;
    yield item;
    if (isGroup(item) && depth < MAX_NESTED_GROUPS) yield* mapsIn(item.websites, depth + 1);
  }
}

/** A value of `websites`, with what holds for its records. */
export interface Level {
  readonly at: Spot;
  readonly value: unknown;
  readonly inherited: Inherited;
}

export interface GroupSet {
  readonly byName: ReadonlyMap<string, DeclaredGroup>;
  readonly levels: ReadonlyMap<Mapping, Level>;
}

/** Reads all groups before any record, as a bulk file may name any of them. */
export function readGroups(tops: readonly Level[]): GroupSet {
  const levels = new Map<Mapping, Level>();
  const byName = new Map<string, DeclaredGroup>();

  function readLevel({ at, value, inherited }: Level, depth: number): void {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (isGroup(item)) readGroup(at.in(index), item, inherited, depth + 1);
    }
  }

  function readGroup(at: Spot, map: Mapping, outer: Inherited, depth: number): void {
    if (depth > MAX_NESTED_GROUPS) {
      const message = `groups are nested more than ${MAX_NESTED_GROUPS} deep here`;
      at.in('group').report({ message, remedy: 'Move the group to an outer level.' }, 'key');
      return;
    }
    const { group: name } = readMap(at, map, GROUP_KEYS);
    const inherited = below(outer, readSettings(at.in('defaults'), map.defaults), name ?? outer.group);
    const first = name === undefined ? undefined : byName.get(name);
    if (first !== undefined) {
      const message = `the group ${name} is declared twice, first at ${formatPlace(first.at.in('group').place)}`;
      const remedy = 'Give it another name, or put its records into the first one.';
      at.in('group').report({ message, remedy });
    } else if (name !== undefined) byName.set(name, { parent: outer.group, inherited, at, map });
    const level = { at: at.in('websites'), value: map.websites, inherited };
    levels.set(map, level);
    readLevel(level, depth);
  }

  for (const top of tops) readLevel(top, 0);
  return { levels, byName };
}

export interface Inherited {
  readonly settings: Settings;
  readonly group: string | undefined;
  readonly alone: Settings;
}

export function inheritedOf(settings: Settings, group?: string): Inherited {
  return { settings, group, alone: resolvedOf(settings) };
}

/** Lays a level over the outer ones, for the records of `group`. Each value is replaced whole: lists are not joined. */
export function below({ settings }: Inherited, own: Settings, group: string | undefined): Inherited {
  return inheritedOf({ ...settings, ...own }, group);
}

export function resolve(outer: Inherited, own: Settings): Settings {
  for (const _ in own) return resolvedOf({ ...outer.settings, ...own }, isPassword(own.password));
  return outer.alone;
}

/** An inherited password holds only for records whose privacy is `password`. */
function resolvedOf(settings: Settings, isOwn = false): Settings {
  const isIdle = !isOwn && settings.privacy !== PRIVACY.password;
  if (!isIdle || !isPassword(settings.password)) return Object.freeze(settings);
  const { password: _, ...rest } = settings;
  return Object.freeze(rest);
}

export function isPassword(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}
