/**
 * Levels: the top of the files, the groups around a record, and the record itself. Of each field the nearest level that
 * names it decides, by a value, by one for new records (`initial`), or by leaving it alone (`unmanaged`)
 * (decision: "The nearest level decides a setting").
 */
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  PRIVACY,
  type Settings,
  type SettingsDraft,
} from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { fieldOf, SETTING_KEYS, UNMANAGED_KEY } from '../schema/keys.ts';
import type { Path } from './document.ts';
import { type ReadSettings, readSettings } from './settings.ts';
import { type Mapping, readMap, readOptional, type Scope, tell } from './validate.ts';

/** What one level says. */
export interface Level extends ReadSettings {
  readonly initial: Settings;
  readonly unmanaged: readonly FieldName[];
}

/** What holds for a record. */
export interface Resolved {
  readonly settings: Settings;
  /** Missing where there is none. */
  readonly initial: Settings | undefined;
}

/** What the levels around a record come to. */
export interface Inherited extends ReadSettings {
  readonly initial: Settings;
  /** The innermost group. */
  readonly group: string | undefined;
  /** What holds for a record that says nothing itself: one object for all of them. */
  readonly alone: Resolved;
}

const NOTHING: Settings = Object.freeze({});

/** What surrounds the outermost level. */
export const NO_LEVEL: Inherited = inheritedOf({ settings: NOTHING, initial: NOTHING, failed: new Set() });

/** Reads the settings for new records under `initial` of a level. */
function readInitial(scope: Scope, path: Path, raw: unknown, outer: Inherited): ReadSettings {
  const own = [...path, 'initial'];
  const map = readMap(scope, own, raw, Object.keys(SETTING_KEYS))?.map ?? {};
  return readSettings(scope, own, map, outer);
}

/**
 * Reads what `map`, at `path`, says beside `values`, which it read under `defaults`, or of a record in the map itself.
 */
export function readLevel(
  scope: Scope,
  path: Path,
  map: Mapping,
  values: ReadSettings,
  outer: Inherited,
): Level {
  if (map.initial === undefined && map.unmanaged === undefined)
    return { ...values, initial: NOTHING, unmanaged: [] };
  const initial = readInitial(scope, path, map.initial, outer);
  const unmanaged = readOptional(scope, [...path, 'unmanaged'], UNMANAGED_KEY, map.unmanaged) ?? [];
  const named = new Set([...Object.keys(values.settings), ...values.failed]);
  tellNamedTwice(scope, path, map, named);
  if (unmanaged.includes('privacy')) warnOfPrivacy(scope, [...path, 'unmanaged'], outer);
  const failed = new Set([...values.failed, ...initial.failed]);
  return { settings: values.settings, initial: initial.settings, unmanaged, failed };
}

/** Tells of each field that the level names twice; `named` are those with a value of their own. */
function tellNamedTwice(scope: Scope, path: Path, map: Mapping, named: Set<string>): void {
  const { initial, unmanaged } = map;
  const keys = typeof initial === 'object' && initial !== null ? Object.keys(initial) : [];
  const items = Array.isArray(unmanaged) ? unmanaged : [];
  const check = (key: string, at: Path, part: 'key' | 'value'): void => {
    const field = fieldOf(key);
    if (field === undefined) return;
    if (named.has(field)) tell(scope, at, namedTwice(key), part);
    named.add(field);
  };
  for (const key of keys) check(key, [...path, 'initial', key], 'key');
  for (const [index, key] of [...new Set(items.map(String))].entries()) {
    check(key, [...path, 'unmanaged', index], 'value');
  }
}

/** What is said of a field for which one level says two things. */
export function namedTwice(key: string) {
  return {
    message: `${key} is named twice at one level: a setting has a value, an initial value, or is unmanaged`,
    remedy: 'Keep one of them.',
  };
}

function warnOfPrivacy(scope: Scope, path: Path, outer: Inherited): void {
  const privacy = outer.settings.privacy ?? outer.initial.privacy;
  if (privacy === undefined || privacy === PRIVACY.public) return;
  tell(scope, path, {
    code: 'privacy-unmanaged',
    message: `privacy is unmanaged here, and ${FIELDS.privacy.kind.show(privacy)} around: a new website gets what the service chooses`,
    remedy: 'To set it once, write "initial: { privacy: … }" instead.',
  });
}

/** What holds below a level, for the records of `group`. */
export function below(outer: Inherited, level: Level, group: string | undefined): Inherited {
  const { settings, initial } = laidOver(outer, level);
  const named = new Set<FieldName>([
    ...namesOf(level.settings),
    ...namesOf(level.initial),
    ...level.unmanaged,
  ]);
  const failed = [...level.failed, ...[...outer.failed].filter((name) => !named.has(name))];
  return inheritedOf({ settings, initial, failed: new Set(failed) }, group);
}

export function inheritedOf(
  { settings, initial, failed }: Pick<Inherited, 'settings' | 'initial' | 'failed'>,
  group?: string,
): Inherited {
  return { settings, initial, failed, group, alone: resolvedOf({ settings, initial }) };
}

/** What holds for a record that says `level` itself. */
export function resolve(outer: Inherited, level: Level): Resolved {
  if (isEmpty(level.initial) && level.unmanaged.length === 0) {
    if (isEmpty(level.settings)) return outer.alone;
    if (isEmpty(outer.initial)) {
      return resolvedOf({ settings: { ...outer.settings, ...level.settings }, initial: NOTHING }, level);
    }
  }
  return resolvedOf(laidOver(outer, level), level);
}

function isEmpty(settings: Settings): boolean {
  for (const _ in settings) return false;
  return true;
}

/** Each value whole: lists are not joined. */
function laidOver(outer: Pick<Inherited, 'settings' | 'initial'>, level: Level) {
  const settings: SettingsDraft = {};
  const initial: SettingsDraft = {};
  for (const name of FIELD_NAMES) {
    const [value, first] = [level.settings[name], level.initial[name]];
    const isNamed = value !== undefined || first !== undefined || level.unmanaged.includes(name);
    put(settings, name, isNamed ? value : outer.settings[name]);
    put(initial, name, isNamed ? first : outer.initial[name]);
  }
  return { settings, initial };
}

function put(draft: SettingsDraft, name: FieldName, value: Value | undefined): void {
  if (value !== undefined) draft[name] = value;
}

/**
 * What is inherited and said by a record itself, together. An inherited password holds for the records that have one,
 * which are those whose privacy is `password`.
 */
function resolvedOf(
  { settings, initial }: { readonly settings: SettingsDraft; readonly initial: SettingsDraft },
  own?: Level,
): Resolved {
  const isOwn = own !== undefined && (own.settings.password ?? own.initial.password) !== undefined;
  const isIdle = !isOwn && (settings.privacy ?? initial.privacy) !== PRIVACY.password;
  const kept = isIdle ? withoutPassword(settings) : settings;
  const first = isIdle ? withoutPassword(initial) : initial;
  return { settings: Object.freeze(kept), initial: isEmpty(first) ? undefined : Object.freeze(first) };
}

function withoutPassword(settings: Settings): Settings {
  if (!isPassword(settings.password)) return settings;
  const { password: _, ...rest } = settings;
  return rest;
}

export function isPassword(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}

function namesOf(settings: Settings): FieldName[] {
  return Object.keys(settings) as FieldName[];
}

/** What a record that is created gets of a field. */
export function atFirst({ settings, initial }: Resolved, name: FieldName): Value | undefined {
  return settings[name] ?? initial?.[name];
}
