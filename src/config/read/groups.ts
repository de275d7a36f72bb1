import { formatPlace } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { GROUP_KEY, GROUP_KEYS, MAX_NESTED_GROUPS, SETTING_KEYS } from '../schema/keys.ts';
import { type ReadSettings, readSettings } from './settings.ts';
import { type Declared, isMap, type Mapping, readMap, readValue, type Spot } from './validate.ts';

export interface DeclaredGroup {
  readonly parent: string | undefined;
  readonly inherited: Inherited;
  readonly at: Spot;
  readonly map: Mapping;
}

export interface GroupSet {
  readonly byName: ReadonlyMap<string, DeclaredGroup>;
  /** The levels in the map of a group; `undefined` if its records are not read. */
  within(map: Mapping): Inherited | undefined;
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

export function readGroups(lists: readonly Declared<unknown>[], outermost: Inherited): GroupSet {
  const declared = new Map<string, DeclaredGroup>();
  const levels = new Map<Mapping, Inherited>();

  function readList({ at, value }: Declared<unknown>, outer: Inherited, depth: number): void {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (isGroup(item)) readGroup(at.in(index), item, outer, depth + 1);
    }
  }

  function readGroup(at: Spot, map: Mapping, outer: Inherited, depth: number): void {
    if (depth > MAX_NESTED_GROUPS) {
      const message = `groups are nested more than ${MAX_NESTED_GROUPS} deep here`;
      at.in('group').report({ message, remedy: 'Move the group further out.' }, 'key');
      return;
    }
    readMap(at, map, Object.keys(GROUP_KEYS));
    const name = readValue(at.in('group'), GROUP_KEY, map.group)?.value;
    const defaults = readMap(at.in('defaults'), map.defaults, Object.keys(SETTING_KEYS)) ?? {};
    const own = readSettings(at.in('defaults'), defaults, outer);
    const inherited = below(outer, own, name ?? outer.group);
    levels.set(map, inherited);
    if (name !== undefined) declare(name, { parent: outer.group, inherited, at, map });
    readList({ at: at.in('websites'), value: map.websites }, inherited, depth);
  }

  function declare(name: string, group: DeclaredGroup): void {
    const first = declared.get(name);
    if (first === undefined) declared.set(name, group);
    else {
      const message = `the group ${name} is declared twice; first at ${formatPlace(first.at.in('group').place)}`;
      const remedy = 'Give it another name, or put its records into the first one.';
      group.at.in('group').report({ message, remedy });
    }
  }

  for (const list of lists) readList(list, outermost, 0);
  return { byName: declared, within: (map) => levels.get(map) };
}

export interface Inherited extends ReadSettings {
  readonly group: string | undefined;
  readonly alone: Settings;
}

export const NO_LEVEL: Inherited = inheritedOf({ settings: Object.freeze({}), failed: new Set() });

/** Lays a level over the outer ones, for the records of `group`. Each value is replaced whole: lists are not joined. */
export function below(outer: Inherited, own: ReadSettings, group: string | undefined): Inherited {
  const inherited = [...outer.failed].filter((name) => own.settings[name] === undefined);
  const settings = { ...outer.settings, ...own.settings };
  return inheritedOf({ settings, failed: new Set([...own.failed, ...inherited]) }, group);
}

export function inheritedOf({ settings, failed }: ReadSettings, group?: string): Inherited {
  return { settings, failed, group, alone: resolvedOf(settings) };
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
