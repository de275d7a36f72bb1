/** The records that files declare: every source gives a domain, raw settings and a place for each. */
import { isPlainName, type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import type { Place, Problem } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import { contains, firstInvisible } from '../../util/look-alikes.ts';
import { createMemory } from '../../util/memoize.ts';
import { mappingOf } from '../bulk/cells.ts';
import type { BulkFile, BulkFiles } from '../bulk/files.ts';
import type { BulkRow } from '../bulk/rows.ts';
import { DOMAIN_KEY, FROM_KEYS, PROTECT_KEY, RECORD_KEYS, SECRET_KEYS, STATE_KEY } from '../schema/keys.ts';
import { type DeclaredGroup, type Groups, type Inherited, isGroup, isPassword, resolve } from './groups.ts';
import { gluedKey, keyMeant } from './other-names.ts';
import type { Declarations, RecordList } from './record-places.ts';
import { readSettings } from './settings.ts';
import type { Path } from './source.ts';
import { problemAt } from './source.ts';
import {
  isMap,
  isRow,
  type Mapping,
  missingSpace,
  placeOf,
  putVariables,
  readMap,
  readOptional,
  readValue,
  type Scope,
  tell,
  tellOdd,
} from './validate.ts';

const KNOWN = Object.keys(RECORD_KEYS);
/** Made when there is need of it: that costs more than all the rest of this module. */
let words: Intl.ListFormat | undefined;

const ABSENT = { state: 'absent', settings: Object.freeze({}) } as const;

/** What reading records takes beside them. */
export interface Reading {
  readonly groups: Groups;
  readonly declared: Declarations;
  readonly bulkFiles: BulkFiles;
}

/** Reads the records under `websites`, which `path` leads to. */
export function readWebsites(
  scope: Scope,
  path: Path,
  raw: unknown,
  inherited: Inherited,
  reading: Reading,
): void {
  if (raw === null || raw === undefined) return;
  if (isFrom(raw)) readFrom(scope, path, raw, inherited, reading);
  else if (Array.isArray(raw)) readList({ scope, path, raw }, inherited, reading);
  else {
    const oddity = typeof raw === 'string' ? firstInvisible(raw) : undefined;
    const message = 'websites must be a list';
    if (oddity !== undefined) tellOdd(scope, path, oddity, `${message}, and ${contains(oddity)}`);
    else tell(scope, path, { message, remedy: 'Start each record with "- ".' });
  }
}

interface ItemList extends RecordList {
  readonly raw: readonly unknown[];
}

function readList(list: ItemList, inherited: Inherited, reading: Reading): void {
  const { scope, path, raw } = list;
  const read = createRecordReader(scope, path, inherited, itemPlaces(scope, path));
  for (let index = 0; index < raw.length; index += 1) {
    const item: unknown = raw[index];
    if (isGroup(item)) {
      const within = reading.groups.within(item);
      const inner = [...path, index, 'websites'];
      if (within !== undefined) readWebsites(scope, inner, item.websites, within, reading);
    } else if (isFrom(item)) readFrom(scope, [...path, index], item, inherited, reading);
    else {
      const website = isMap(item)
        ? read(index, item.domain, restOf(item), () => item)
        : read(index, item, [], () => item);
      if (website !== undefined) reading.declared.add(website, list, index);
    }
  }
}

/** The keys and values of a record beside its domain; `undefined` where its place counts too. */
function restOf(map: Mapping): readonly unknown[] | undefined {
  const rest: unknown[] = [];
  for (const key in map) {
    if (key === 'domain') continue;
    const value = map[key];
    // A secret that is a text goes by its place.
    if (typeof value === 'string' && SECRET_KEYS.includes(key)) return undefined;
    rest.push(key, value);
  }
  return rest;
}

/** A function that tells where an item of the list at `path` is written. */
function itemPlaces(scope: Scope, path: Path): (index: number) => Place {
  const { source, itemStarts } = scope.document;
  const starts = itemStarts?.(path);
  return (index) => {
    const start = starts?.[index];
    return start === undefined ? placeOf(scope, [...path, index]) : source.placeAt(start);
  };
}

/** So many different records are remembered. */
const MOST_KNOWN = 10_000;

/** Reads the record at `at`; records with the same `rest` declare the same. `whole` is what stands there. */
type ReadRecord = (
  at: number,
  domain: unknown,
  rest: readonly unknown[] | undefined,
  whole: () => unknown,
) => DesiredWebsite | undefined;

/**
 * A function that reads records of one list; what is wrong with one is told in `scope`. Records that declare the same
 * share one object of settings: only the first of them is read in full.
 */
function createRecordReader(
  scope: Scope,
  path: Path,
  inherited: Inherited,
  placeAt: (at: number) => Place,
  groups?: RowGroups,
): ReadRecord {
  const memory = createMemory<DesiredWebsite>(MOST_KNOWN);
  return (at, domain, rest, whole) => {
    const like = rest && memory.get(rest);
    const usual = like === undefined ? undefined : usualDomain(domain);
    if (like !== undefined && usual !== undefined) {
      const { state, settings, group, protect } = like;
      return { domain: usual, state, settings, group, protect, source: placeAt(at) };
    }
    const before = scope.problems.length;
    const website = readRecord(scope, [...path, at], whole(), inherited, groups);
    if (website !== undefined && rest !== undefined && scope.problems.length === before) {
      memory.keep(rest, website);
    }
    return website;
  };
}

/** A domain of which there is nothing to say. */
function usualDomain(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  if (isPlainName(text)) return text;
  const normalised = normaliseDomain(text);
  const isUsual = 'domain' in normalised && normalised.kind === 'name' && normalised.dropped.length === 0;
  return isUsual ? normalised.domain : undefined;
}

/** The groups that rows may name. */
export type RowGroups = ReadonlyMap<string, Pick<DeclaredGroup, 'inherited'>>;

/** A function that reads rows of a bulk file, those without a group under `inherited`. */
export function createRowReader(
  scope: Scope,
  inherited: Inherited,
  groups: RowGroups,
): (row: BulkRow) => DesiredWebsite | undefined {
  const read = createRecordReader(scope, [], inherited, scope.document.source.placeAt, groups);
  return (row) => {
    const index = row.keys.indexOf('domain');
    const rest: unknown[] = [];
    for (let at = 0; at < row.cells.length; at++) {
      const [key, cell] = [row.keys[at], row.cells[at]];
      if (at !== index && key !== undefined && cell !== '') rest.push(key, cell);
    }
    return read(row.start, row.cells[index], rest, () => mappingOf(row));
  };
}

/** Whether a value stands for the records of another file. */
export function isFrom(value: unknown): value is Mapping {
  return isMap(value) && 'from' in value && !('domain' in value);
}

/** Reads what the `from` of `map` leads to. */
function readFrom(scope: Scope, path: Path, map: Mapping, inherited: Inherited, reading: Reading): void {
  readMap(scope, path, map, Object.keys(FROM_KEYS));
  const valid = readValue(scope, [...path, 'from'], FROM_KEYS.from, map.from);
  if (valid === undefined) return;
  const found = reading.bulkFiles.find(scope.file, valid.value);
  if ('bulk' in found) readRows(scope, found, inherited, reading);
  else if ('place' in found) scope.problems.push(found);
  else tell(scope, [...path, 'from'], found);
}

/** So many errors, and so many warnings, are told of one bulk file. */
const MOST_TOLD = 100;

function readRows(yaml: Scope, { file, bulk }: BulkFile, inherited: Inherited, reading: Reading): void {
  const { document } = bulk;
  const { problems } = yaml;
  const scope = { ...yaml, file, document };
  const read = createRowReader(scope, inherited, reading.groups.byName);
  const list = { scope, path: [], raw: undefined, rowAt: (start: number) => rowAt(bulk, start) };
  const told = { error: 0, warning: 0 };
  const isTold = ({ severity }: Problem): boolean => ++told[severity] <= MOST_TOLD;
  for (const row of bulk.rows()) {
    const before = problems.length;
    if ('fault' in row) tell(scope, [row.start], row.fault);
    else {
      const website = read(row);
      if (website !== undefined) reading.declared.add(website, list, row.start);
    }
    if (problems.length === before) continue;
    problems.push(...problems.splice(before).filter(isTold));
    if (told.error < MOST_TOLD) continue;
    tell(scope, [row.start], { message: `stopped reading after ${MOST_TOLD} errors` });
    break;
  }
  const left = told.warning - MOST_TOLD;
  if (left > 0) {
    const message = `${left} more warnings of this file are not shown`;
    tell(scope, [0], { code: 'warnings-omitted', message });
  }
  const { unknown } = bulk.columns;
  for (const [name, place] of [...unknown].slice(0, MOST_TOLD)) {
    problems.push(problemAt(document.source, place(), bulk.unknownColumn(name), document.hidden));
  }
  const more = unknown.size - MOST_TOLD;
  if (more > 0) tell(scope, [0], { message: `${more} more columns of this file are unknown` });
}

function rowAt(bulk: BulkFile['bulk'], start: number): Mapping | undefined {
  for (const row of bulk.rows()) if (row.start === start && !('fault' in row)) return mappingOf(row);
  return undefined;
}

function declare(
  scope: Scope,
  path: Path,
  domain: string,
  { group }: Inherited,
  record: Pick<DesiredWebsite, 'settings'> & Partial<Pick<DesiredWebsite, 'state' | 'protect'>>,
): DesiredWebsite {
  const { state = 'present', settings, protect = false } = record;
  return { domain, state, settings, group, protect, source: placeOf(scope, path) };
}

/** Reads a record; in a row, the group may be named whose levels hold for it. */
function readRecord(
  scope: Scope,
  path: Path,
  item: unknown,
  around: Inherited,
  groups?: RowGroups,
): DesiredWebsite | undefined {
  if (!isMap(item)) return readPlain(scope, path, item, around);
  if (groups === undefined || item.group === undefined) return readMapping(scope, path, item, around);
  const { group, ...map } = item;
  const found = groups.get(String(group));
  const website = readMapping(scope, path, map, found?.inherited ?? around);
  if (found !== undefined) return website;
  const remedy = suggestion(String(group), [...groups.keys()], 'Declare it under websites of a YAML file.');
  tell(scope, [...path, 'group'], { message: `unknown group ${JSON.stringify(group)}`, remedy });
  return undefined;
}

/** A record that is no map. */
function readPlain(
  scope: Scope,
  path: Path,
  item: unknown,
  inherited: Inherited,
): DesiredWebsite | undefined {
  if (typeof item === 'string') {
    const domain = readDomain(scope, path, item);
    return domain === undefined
      ? undefined
      : declare(scope, path, domain, inherited, { settings: inherited.alone });
  }
  tell(scope, path, {
    message: 'a record must be a domain, or a map with the key domain',
    ...(typeof item === 'number' ? { remedy: 'Put it in quotes if it is a name.' } : {}),
  });
  return undefined;
}

function readMapping(
  scope: Scope,
  path: Path,
  map: Mapping,
  inherited: Inherited,
): DesiredWebsite | undefined {
  if (map.domain === undefined && isNamedByKey(scope, path, map)) return undefined;
  const unknown = readMap(scope, path, map, KNOWN)?.unknown ?? [];
  const domain = readOwnDomain(scope, path, map, unknown);
  const state = readOptional(scope, [...path, 'state'], STATE_KEY, map.state);
  if (state === 'absent') {
    refuseBesideAbsent(scope, path, map);
    return domain === undefined ? undefined : declare(scope, path, domain, inherited, ABSENT);
  }
  const protect =
    map.protect === undefined
      ? false
      : readValue(scope, [...path, 'protect'], PROTECT_KEY, map.protect)?.value;
  const own = readSettings(scope, path, map, inherited);
  const settings = resolve(inherited, own.settings);
  if (!own.failed.has('privacy') && !inherited.failed.has('privacy')) {
    refuseIdlePassword(scope, path, own.settings, settings);
  }
  if (domain === undefined || protect === undefined) return undefined;
  return declare(scope, path, domain, inherited, { protect, settings });
}

/** Told once and for all of `- shop.example.com: {…}`, which has its domain where a key should be. */
function isNamedByKey(scope: Scope, path: Path, map: Mapping): boolean {
  const key = Object.keys(map).find((name) => name.includes('.') && 'domain' in normaliseDomain(name));
  if (key === undefined) return false;
  tell(
    scope,
    [...path, key],
    {
      message: 'found a domain instead of a key',
      remedy: `Write "- domain: ${key}", and the settings below it.`,
    },
    'key',
  );
  return true;
}

function readOwnDomain(
  scope: Scope,
  path: Path,
  map: Mapping,
  unknown: readonly string[],
): string | undefined {
  if (map.domain !== undefined) {
    const valid = readValue(scope, [...path, 'domain'], DOMAIN_KEY, map.domain);
    return valid === undefined ? undefined : normalise(scope, [...path, 'domain'], valid.value);
  }
  if (unknown.every((key) => keyMeant(key, KNOWN) !== 'domain' && gluedKey(key) !== 'domain')) {
    tell(scope, path, { message: 'a record without a domain', remedy: 'Give it the key domain.' });
  }
  return undefined;
}

function readDomain(scope: Scope, path: Path, raw: string): string | undefined {
  const { value, unusable } = putVariables(scope, path, raw);
  return unusable.size > 0 ? undefined : normalise(scope, path, String(value));
}

function normalise(scope: Scope, path: Path, text: string): string | undefined {
  const normalised = normaliseDomain(text);
  if ('domain' in normalised) {
    warnOfDomain(scope, path, text, normalised);
    return normalised.domain;
  }
  // In a bulk file nothing has a key of its own.
  const glued = isRow(scope) ? undefined : gluedKey(text);
  const { reason, oddity } = normalised;
  const message = `${JSON.stringify(text)} is not a domain: ${reason}`;
  if (glued !== undefined) tell(scope, path, missingSpace(glued));
  else if (oddity === undefined) tell(scope, path, { message });
  else tellOdd(scope, path, oddity, message);
  return undefined;
}

function warnOfDomain(
  scope: Scope,
  path: Path,
  text: string,
  { domain, kind, dropped }: NormalisedDomain,
): void {
  if (dropped.length > 0) {
    words ??= new Intl.ListFormat('en-GB');
    tell(scope, path, {
      code: 'domain-shortened',
      message: `ignored ${words.format(dropped)} of ${JSON.stringify(text)}`,
      remedy: `Write ${domain}.`,
    });
  }
  if (kind === 'name') return;
  tell(scope, path, {
    code: 'domain-unusual',
    message: `${domain} ${UNUSUAL[kind]}`,
    remedy: 'Check the domain. The service may reject it.',
  });
}

/** What is said of a domain that is not a plain name. */
const UNUSUAL: Readonly<Record<Exclude<NormalisedDomain['kind'], 'name'>, string>> = {
  ip: 'is an IP address, not a domain',
  label: 'is a single label, without a dot',
  underscore: 'contains an underscore, which host names do not allow',
  'no-tld': 'does not end in a top-level domain',
};

function refuseBesideAbsent(scope: Scope, path: Path, map: Mapping): void {
  const others = Object.keys(map).filter((key) => key !== 'domain' && key !== 'state' && KNOWN.includes(key));
  const [first] = others;
  if (first === undefined) return;
  tell(
    scope,
    [...path, first],
    {
      message: `state: absent allows only the key domain; found ${others.join(', ')}`,
      remedy: 'Remove them, or the state.',
    },
    'key',
  );
}

/** A password that would never apply is a mistake (specification, section 2). */
function refuseIdlePassword(scope: Scope, path: Path, own: Settings, resolved: Settings): void {
  if (!isPassword(own.password) || resolved.privacy === PRIVACY.password) return;
  tell(
    scope,
    [...path, 'password'],
    {
      message: 'password is only used with privacy: password',
      remedy: 'Add privacy: password, or remove the password.',
    },
    'key',
  );
}
