import { isPlainName, type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import { formatPlace, type Place, type Problem } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import { createMemory } from '../../util/memoize.ts';
import type { BulkFiles } from '../bulk/files.ts';
import {
  BULK_RECORD_KEYS,
  FROM_KEYS,
  GROUP_KEYS,
  MAX_NESTED_GROUPS,
  RECORD_KEYS,
  SECRET_KEYS,
} from '../schema/keys.ts';
import type { Declarations, RecordSource } from './merge.ts';
import { type Finding, isMap, type Mapping, type Spot } from './source.ts';
import { readMap, readSettings, settingsOf } from './validate.ts';

const NO_SETTINGS: Settings = Object.freeze({});

export interface ReadContext {
  readonly groups: Map<string, DeclaredGroup>;
  readonly declared: Declarations;
  readonly bulkFiles: BulkFiles;
  /** Functions that read bulk files. They run after all groups are known, because a row may name any group. */
  readonly later: (() => void)[];
}

export function readWebsites(level: NestingLevel, reading: ReadContext): void {
  const { at, value, inherited } = level;
  if (isFrom(value)) readFrom(at, value, inherited, reading);
  else if (Array.isArray(value)) readList(level, value, reading);
  else if (value !== undefined && value !== null) {
    at.reportText(value, { message: 'websites must be a list', remedy: 'Start each website with "- ".' });
  }
}

function readList(level: NestingLevel, raw: readonly unknown[], reading: ReadContext): void {
  const { at, inherited } = level;
  const list: RecordSource = { at, rawAt: (index) => raw[index] };
  const { source, itemStarts } = at.scope.document;
  const starts = itemStarts?.(at.path);
  const placeAt = (index: number): Place => {
    const start = starts?.[index];
    return start === undefined ? at.in(index).place : source.placeAt(start);
  };
  const { read } = createRecordReader(at, inherited, placeAt);
  for (let index = 0; index < raw.length; index += 1) {
    const item: unknown = raw[index];
    if (isGroup(item)) {
      const inner = readGroup(level, index, item, reading.groups);
      if (inner !== undefined) readWebsites(inner, reading);
    } else if (isFrom(item)) readFrom(at.in(index), item, inherited, reading);
    else {
      const [domain, rest] = isMap(item) ? [item.domain, restOf(item)] : [item, []];
      const website = read(index, domain, rest, () => item);
      if (website !== undefined) reading.declared.add(website, list, index);
    }
  }
}

function restOf(map: Mapping): readonly unknown[] | undefined {
  const rest: unknown[] = [];
  for (const key in map) {
    if (key === 'domain') continue;
    const value = map[key];
    // A plain-text secret is identified by its location, so such records cannot share settings.
    if (typeof value === 'string' && SECRET_KEYS.includes(key)) return undefined;
    rest.push(key, value);
  }
  return rest;
}

/** Maximum number of different records that are remembered. */
const MAX_KNOWN = 10_000;

/** Records that declare the same settings share one object. Only the first is read completely. */
export function createRecordReader(
  list: Spot,
  inherited: Inherited,
  placeAt: (at: number) => Place,
  groups?: RowGroups,
) {
  const memory = createMemory<DesiredWebsite>(MAX_KNOWN);
  // Each property by name, because a copy with `...` takes three times as long.
  const copyAt = (at: number, domain: string, like: ReadWebsite): DesiredWebsite => {
    const { state, settings, group, protect } = like;
    return { domain, state, settings, group, protect, source: placeAt(at) };
  };
  const readKnown = (at: number, domain: unknown, rest: readonly unknown[]): DesiredWebsite | undefined => {
    const like = memory.get(rest);
    const isUsual = like !== undefined && typeof domain === 'string' && isPlainName(domain);
    return isUsual ? copyAt(at, domain, like) : undefined;
  };
  return {
    /** Returns the record at `at` if one with the same `rest` was read before, without problems. */
    readKnown,
    /** Reads the record at `at`. Equal `rest` means equal settings. `whole` is the record as written. */
    read(
      at: number,
      domain: unknown,
      rest: readonly unknown[] | undefined,
      whole: () => unknown,
    ): DesiredWebsite | undefined {
      const known = rest && readKnown(at, domain, rest);
      if (known !== undefined) return known;
      const { problems } = list.scope;
      const before = problems.length;
      const found = readRecord(list.in(at), whole(), inherited, groups);
      const website = found && copyAt(at, found.domain, found);
      if (website && rest && problems.length === before) memory.keep(rest, website);
      return website;
    },
  };
}

export type RowGroups = ReadonlyMap<string, Pick<DeclaredGroup, 'inherited'>>;

export function isFrom(value: unknown): value is Mapping {
  return isMap(value) && 'from' in value && !('domain' in value);
}

function readFrom(at: Spot, map: Mapping, inherited: Inherited, reading: ReadContext): void {
  const { from } = readMap(at, map, FROM_KEYS);
  if (from === undefined) return;
  const found = reading.bulkFiles.find(at.scope.file, from);
  if ('bulk' in found) reading.later.push(() => found.readRows(at.scope, found, inherited, reading));
  else if ('place' in found) at.scope.problems.push(found);
  else at.in('from').report(found);
}

type ReadWebsite = Omit<DesiredWebsite, 'source'>;

/** Reads a record, or a domain alone. A row may name one of `groups` and inherits its defaults. */
function readRecord(at: Spot, raw: unknown, around: Inherited, groups?: RowGroups): ReadWebsite | undefined {
  const item = isMap(raw) ? raw : { domain: raw };
  const values = readMap(at, item, groups === undefined ? RECORD_KEYS : BULK_RECORD_KEYS);
  const domain = values.domain === undefined ? undefined : normalise(at.in('domain'), values.domain);
  // An unknown key was already reported, and may be a misspelled `domain`.
  if (item.domain === undefined && Object.keys(item).every((key) => key in values)) {
    at.report({ message: 'this record has no domain', remedy: 'Add the key domain.' });
  }
  const name = values.group as string | undefined;
  const inherited = name === undefined ? around : groups?.get(name)?.inherited;
  if (inherited === undefined) {
    const message = `unknown group ${JSON.stringify(name)}`;
    const known = [...(groups?.keys() ?? [])];
    const remedy = suggestion(String(name), known, 'Declare the group under "websites" in a YAML file.');
    at.in('group').report({ message, remedy });
    return undefined;
  }
  if (domain === undefined) return undefined;
  const { group } = inherited;
  if (values.state === 'absent') {
    refuseBesideAbsent(at, item);
    return { domain, state: 'absent', settings: NO_SETTINGS, group, protect: false };
  }
  const own = settingsOf(at, values);
  const settings = resolve(inherited, own);
  // Reports a password that never applies (specification, section 2). Not reported after another error, which may be
  // the cause.
  const isIdle = isPassword(own.password) && settings.privacy !== PRIVACY.password;
  const isOther = ({ severity, message }: Problem): boolean =>
    severity === 'error' && message !== IDLE_PASSWORD.message;
  if (isIdle && !at.scope.problems.some(isOther)) at.in('password').report(IDLE_PASSWORD, 'key');
  return { domain, state: 'present', settings, group, protect: values.protect ?? false };
}

function normalise(at: Spot, text: string): string | undefined {
  const normalised = normaliseDomain(text);
  if ('domain' in normalised) {
    warnOfDomain(at, text, normalised);
    return normalised.domain;
  }
  const { reason, oddity } = normalised;
  const why = oddity === undefined ? `: ${reason}` : '';
  at.reportText(text, { message: `${JSON.stringify(text)} is not a domain${why}` });
  return undefined;
}

function warnOfDomain(at: Spot, text: string, { domain, kind, dropped }: NormalisedDomain): void {
  if (dropped.length > 0) {
    const message = `ignored ${dropped.join(' and ')} of ${JSON.stringify(text)}`;
    at.report({ code: 'domain-shortened', message, remedy: `Write ${domain}.` });
  }
  if (kind === 'name') return;
  const remedy = 'Check the domain. The service may reject it.';
  at.report({ code: 'domain-unusual', message: `${domain} ${UNUSUAL[kind]}`, remedy });
}

const UNUSUAL: Readonly<Record<Exclude<NormalisedDomain['kind'], 'name'>, string>> = {
  ip: 'is an IP address, not a domain',
  label: 'is a single label, without a dot',
  underscore: 'contains an underscore, which host names do not allow',
  'no-tld': 'does not end in a top-level domain',
};

function refuseBesideAbsent(at: Spot, map: Mapping): void {
  const isOther = (key: string): boolean => key !== 'domain' && key !== 'state' && key in RECORD_KEYS;
  const others = Object.keys(map).filter(isOther);
  const [first] = others;
  if (first === undefined) return;
  const message = `state: absent allows no key except domain. Found: ${others.join(', ')}`;
  at.in(first).report({ message, remedy: 'Remove these keys, or the key state.' }, 'key');
}

const IDLE_PASSWORD: Finding = {
  message: 'password is only used with privacy: password',
  remedy: 'Add privacy: password, or remove the password.',
};

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
export interface NestingLevel {
  readonly at: Spot;
  readonly value: unknown;
  readonly inherited: Inherited;
  readonly depth: number;
}

/** Reads the group at `index` of `outer` and returns its content. Returns nothing if it is nested too deeply. */
function readGroup(
  outer: NestingLevel,
  index: number,
  map: Mapping,
  groups: Map<string, DeclaredGroup>,
): NestingLevel | undefined {
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
    const remedy = 'Rename this group, or move its websites into the first group.';
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

/** Adds the defaults of a level to the outer defaults. A value replaces the outer value; lists are not joined. */
export function below({ settings }: Inherited, own: Settings, group: string | undefined): Inherited {
  return inheritedOf({ ...settings, ...own }, group);
}

function resolve(outer: Inherited, own: Settings): Settings {
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

function isPassword(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}
