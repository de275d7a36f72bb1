/** The records of one file: values → desired websites. */
import { isPlainName, type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { contains, firstInvisible } from '../../util/look-alikes.ts';
import { DOMAIN_KEY, PROTECT_KEY, RECORD_KEYS, STATE_KEY } from '../schema/keys.ts';
import type { Path } from './document.ts';
import { type Groups, isGroup } from './groups.ts';
import { type Inherited, isPassword, resolve } from './levels.ts';
import { shareSettings } from './memoize-records.ts';
import { gluedKey, keyMeant } from './other-names.ts';
import type { Declarations, RecordList } from './record-places.ts';
import { readSettings } from './settings.ts';
import {
  isMap,
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
  /** Reads what stands for the records of another file. */
  readonly readFrom: (scope: Scope, path: Path, map: Mapping, inherited: Inherited) => void;
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
  if (isFrom(raw)) reading.readFrom(scope, path, raw, inherited);
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

function readList(list: ItemList, inherited: Inherited, { groups, declared, readFrom }: Reading): void {
  const { scope, path, raw } = list;
  const readItem = itemReader(list, inherited);
  for (let index = 0; index < raw.length; index += 1) {
    const item: unknown = raw[index];
    if (isGroup(item)) {
      const within = groups.within(item);
      const inner = [...path, index, 'websites'];
      if (within !== undefined)
        readWebsites(scope, inner, item.websites, within, { groups, declared, readFrom });
    } else if (isFrom(item)) readFrom(scope, [...path, index], item, inherited);
    else {
      const website = readItem(item, index);
      if (website !== undefined) declared.add(website, list, index);
    }
  }
}

function itemReader({ scope, path }: ItemList, inherited: Inherited) {
  const placeAt = itemPlaces(scope, path);
  const readAlike = shareSettings(scope, placeAt, (index, map) =>
    readRecord(scope, [...path, index], map, inherited),
  );
  const { group, alone } = inherited;
  return (item: unknown, index: number): DesiredWebsite | undefined => {
    if (isMap(item)) return readAlike(index, item);
    if (typeof item !== 'string' || !isPlainName(item))
      return readPlain(scope, [...path, index], item, inherited);
    return { domain: item, state: 'present', settings: alone, group, protect: false, source: placeAt(index) };
  };
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

/** Whether a value stands for the records of another file. */
export function isFrom(value: unknown): value is Mapping {
  return isMap(value) && 'from' in value && !('domain' in value);
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

/** Reads a record that is a map. */
export function readRecord(
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
  const glued = scope.document.value === undefined ? undefined : gluedKey(text);
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
