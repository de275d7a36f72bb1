import { RECORD_ID } from '../model/contract.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
} from '../model/field-table.ts';
import { isEmpty, Mismatch, TOO_LARGE, type Value } from '../model/field-types.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WriteValues } from '../model/service.ts';
import type { Unreadable, Website } from '../model/website.ts';
import { isObject } from '../util/json.ts';
import { holdsKey } from '../util/key-filter.ts';
import { createMemory } from '../util/memoize.ts';

type Raw = Record<string, unknown>;

/** A response with an unexpected shape. `path` is the location of the wrong value in it. */
export class ShapeError extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Adds `place` to the path of a ShapeError that `read` throws. */
function at<T>(place: readonly (string | number)[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const path = [...place, error.path].filter((part) => part !== '').join('.');
    throw new ShapeError(path, error.message);
  }
}

export interface Shown {
  readonly settings: Settings;
  readonly unreadable?: Unreadable;
  readonly wireNames: Traits['wireNames'];
}

/** True if `wire` is the key of a field that shows only its presence, not its time. */
export function isPresence(name: FieldName, wire: string | undefined): boolean {
  return wire !== undefined && wire === FIELDS[name].presenceKey;
}

export type ReadShown = (raw: Raw) => Shown;

/**
 * Returns the settings in a record. `pinned` names override the names in the record: if a field is sent as a boolean,
 * its time is read as a boolean, too.
 */
export function decodeShown(raw: Raw, pinned: Traits['wireNames'] = {}): Shown {
  const settings: SettingsDraft = {};
  const wireNames: { [Name in FieldName]?: string } = {};
  const unreadable: { [Name in FieldName]?: string } = {};
  for (const name of READABLE_NAMES) {
    const wire = FIELDS[name].wire.find((candidate) => candidate in raw);
    if (wire === undefined) continue;
    wireNames[name] = wire;
    try {
      const value = FIELDS[name].kind.readAnswer(raw[wire]);
      const hidesTime = typeof value === 'string' && isPresence(name, pinned[name] ?? wire);
      if (value !== undefined) settings[name] = hidesTime || value;
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      unreadable[name] = `${shapeOf(raw[wire])} (${error.message})`;
    }
  }
  return { settings, wireNames, ...(Object.keys(unreadable).length > 0 && { unreadable }) };
}

const SHOWN_NAMES: readonly string[] = READABLE_NAMES.flatMap((name) => FIELDS[name].wire);

const MAX_REMEMBERED = 10_000;

/** Returns a reader that uses one object for records with equal settings. */
export function shareShown(pinned: Traits['wireNames'] = {}): ReadShown {
  const memory = createMemory<Shown>(MAX_REMEMBERED);
  return (raw) => {
    const values = SHOWN_NAMES.map((name) => raw[name]);
    const known = memory.get(values);
    if (known !== undefined) return known;
    const shown = decodeShown(raw, pinned);
    memory.keep(values, shown);
    return shown;
  };
}

/** Replaces a string that repeats the API key. It is a symbol, so that no field accepts it as a value. */
const REPEATED_KEY = Symbol('repeats the API key');

function shapeOf(value: unknown): string {
  if (value === REPEATED_KEY) return 'a string that repeats the API key';
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'a list';
  return (
    { object: 'an object', string: 'a string', number: 'a number' }[typeof value as string] ?? 'a boolean'
  );
}

/**
 * Reviver for JSON.parse: replaces each text that repeats the API key, so that the key never gets into a file. Links
 * stay, because they are never printed.
 */
export function withoutKey(name: string, value: unknown): unknown {
  if (typeof value !== 'string' || name === 'next' || name === 'next_page_url') return value;
  return holdsKey(value) ? REPEATED_KEY : value;
}

/** Rejects a number that JSON cannot represent exactly. */
function idOf({ id }: Raw): string {
  const isId = typeof id === 'string' ? RECORD_ID.test(id) : Number.isSafeInteger(id);
  if (!isId) throw new ShapeError('id', Number.isInteger(id) ? TOO_LARGE : 'expected an id');
  return String(id);
}

/** If the record has no domain, it gets `ownDomain`. Throws a ShapeError. */
export function decodeRecord(raw: unknown, readShown: ReadShown = decodeShown, ownDomain?: string): Website {
  if (!isObject(raw)) throw new ShapeError('', 'expected a record');
  const { settings, unreadable } = readShown(raw);
  const { domain = ownDomain, password } = raw;
  const id = idOf(raw);
  if (typeof domain !== 'string') throw new ShapeError('domain', 'expected a string');
  return {
    id,
    domain,
    settings,
    // The password itself is dropped; only its presence is kept.
    ...(password !== undefined && { passwordSet: Boolean(password) && password !== '0' }),
    ...(unreadable !== undefined && { unreadable }),
  };
}

/** Decodes a single record. It may be inside `data`, or inside the only member that is an object. */
export function decodeOne(raw: unknown, readShown?: ReadShown, domain?: string): Website {
  const read = (one: unknown): Website => decodeRecord(one, readShown, domain);
  if (!isObject(raw)) return read(raw);
  // The object around the record may have an ID of its own.
  const isEnvelope = (isObject(raw.data) && 'id' in raw.data) || !('id' in raw);
  const key = 'data' in raw ? 'data' : onlyKey(raw, isObject);
  return isEnvelope && key !== undefined ? at([key], () => read(raw[key])) : read(raw);
}

export interface DecodedPage {
  readonly records: readonly Website[];
  readonly envelope: string;
  readonly total?: number;
  readonly size?: number;
  /** Link to the next page. `null` on the last page; missing if the service sends no such links. */
  readonly next?: string | null;
}

export function decodePage(raw: unknown, readShown?: ReadShown): DecodedPage {
  if (Array.isArray(raw)) return { records: decodeRows(raw, '', readShown), envelope: '' };
  if (!isObject(raw)) throw new ShapeError('', 'expected a list');
  const envelope = ('data' in raw ? 'data' : onlyKey(raw, Array.isArray)) ?? 'data';
  const rows = raw[envelope];
  if (!Array.isArray(rows)) throw new ShapeError('data', 'expected a list');
  const { total } = isObject(raw.meta) ? raw.meta : raw;
  // As JSON, because `String` throws for an object without a text form.
  const count = Number(/^"?(\d+)"?$/.exec(JSON.stringify(total))?.[1]);
  const { next } = isObject(raw.links) ? raw.links : { next: raw.next_page_url };
  return {
    records: decodeRows(rows, envelope, readShown),
    envelope,
    ...(Number.isSafeInteger(count) && { total: count }),
    ...(next === null || (typeof next === 'string' && next !== '') ? { next } : {}),
  };
}

function decodeRows(rows: readonly unknown[], envelope: string, readShown?: ReadShown): Website[] {
  const isNamed = (row: unknown): boolean =>
    isObject(row) && typeof row.domain === 'string' && row.domain !== '';
  // If no row has a domain, the rows are not websites.
  const mayLackDomains = rows.some(isNamed);
  return rows.map((row, index) =>
    at([envelope, index], () => {
      if (!mayLackDomains || !isObject(row) || row.domain === undefined || isNamed(row)) {
        return decodeRecord(row, readShown);
      }
      return { id: idOf(row), domain: '', settings: {}, unreadable: { domain: shapeOf(row.domain) } };
    }),
  );
}

/** Members that contain other data. An empty list of errors must not count as an empty list of records. */
const COMPANIONS = /^(?:errors?|messages?|warnings?|links|meta)$/;

function onlyKey(raw: Raw, test: (value: unknown) => boolean): string | undefined {
  const keys = Object.keys(raw).filter((key) => test(raw[key]) && !COMPANIONS.test(key));
  return keys.length === 1 ? keys[0] : undefined;
}

type From = 'list' | 'read' | 'write';

export type Learner = ReturnType<typeof startLearning>;

/** If `favorite` is set, it is the name of the favorite field, whatever responses show. */
export function startLearning(favorite: 'favorited_at' | 'favorite' | undefined) {
  const pinned: Traits['wireNames'] = favorite === undefined ? {} : { favorited_at: favorite };
  const listed = new Set<FieldName>();
  const read = new Set<FieldName>();
  const readEmpty = new Set<FieldName>();
  const sent = new Set<FieldName>();
  const traits = { wireNames: pinned, listed, read, readEmpty, sent };

  function learn({ settings, wireNames }: Shown, from: From): void {
    for (const [name, value] of Object.entries(settings) as [FieldName, Value][]) {
      if (from === 'list') listed.add(name);
      if (from !== 'read') continue;
      read.add(name);
      // Even a service that omits empty values shows a missing favorite as false, so a presence does not count.
      if (isEmpty(value) && !isPresence(name, wireNames[name])) readEmpty.add(name);
    }
    const next = { ...traits.wireNames, ...wireNames, ...pinned };
    // Keeps the same object while the names are the same, because other code uses it as a cache key.
    if (FIELD_NAMES.some((name) => next[name] !== traits.wireNames[name])) traits.wireNames = next;
  }
  const decode = shareShown(pinned);
  const showing = (from: From): ReadShown => {
    const known = new WeakSet<Shown>();
    return (raw) => {
      const shown = decode(raw);
      if (!known.has(shown)) learn(shown, from);
      known.add(shown);
      return shown;
    };
  };

  return {
    traits: traits as Traits,
    shown: { list: showing('list'), read: showing('read'), write: showing('write') },
    noteSent(values: WriteValues): void {
      for (const [name, value] of Object.entries(values) as [FieldName, WriteValues[FieldName]][]) {
        if (value !== undefined && (value instanceof Secret || !isEmpty(value))) sent.add(name);
      }
    },
  };
}
