/** The records of one file: values → desired websites. */
import { isPlainName, type NormalisedDomain, normaliseDomain } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import { PRIVACY, type Settings } from '../../model/field-table.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { contains, firstInvisible } from '../../util/look-alikes.ts';
import { DOMAIN_KEY, PROTECT_KEY, RECORD_KEYS, STATE_KEY } from '../schema/keys.ts';
import type { Path } from './document.ts';
import { shareSettings } from './memoize-records.ts';
import { gluedKey, keyMeant } from './other-names.ts';
import type { Declarations } from './record-places.ts';
import { isPassword, layer, type ReadSettings, readSettings } from './settings.ts';
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

/** What holds for a record that declares nothing: one object for all of them. */
export interface Defaults extends ReadSettings {
  readonly alone: Settings;
}

const NOTHING: Settings = Object.freeze({});

/** Reads what stands for the records of another file. */
export type ReadFrom = (scope: Scope, path: Path, map: Mapping) => void;

/** Reads the records under `websites` into `declared`. */
export function readWebsites(
  scope: Scope,
  raw: unknown,
  defaults: Defaults,
  readFrom: ReadFrom,
  declared: Declarations,
): void {
  if (raw === null || raw === undefined) return;
  const path = ['websites'];
  if (isFrom(raw)) {
    readFrom(scope, path, raw);
    return;
  }
  if (!Array.isArray(raw)) {
    const oddity = typeof raw === 'string' ? firstInvisible(raw) : undefined;
    const message = 'websites must be a list';
    if (oddity !== undefined) tellOdd(scope, path, oddity, `${message}, and ${contains(oddity)}`);
    else tell(scope, path, { message, remedy: 'Start each record with "- ".' });
    return;
  }
  const placeAt = itemPlaces(scope, path);
  const readAlike = shareSettings(scope, placeAt, (index, map) =>
    readRecord(scope, [...path, index], map, defaults),
  );
  const readItem = (item: unknown, index: number): DesiredWebsite | undefined => {
    if (isMap(item)) return readAlike(index, item);
    if (typeof item !== 'string' || !isPlainName(item))
      return readPlain(scope, [...path, index], item, defaults);
    return {
      domain: item,
      state: 'present',
      settings: defaults.alone,
      protect: false,
      source: placeAt(index),
    };
  };
  for (let index = 0; index < raw.length; index += 1) {
    const item: unknown = raw[index];
    if (isFrom(item)) {
      readFrom(scope, [...path, index], item);
      continue;
    }
    const website = readItem(item, index);
    if (website !== undefined) declared.add(website, scope, index);
  }
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
function readPlain(scope: Scope, path: Path, item: unknown, defaults: Defaults): DesiredWebsite | undefined {
  if (typeof item === 'string') {
    const domain = readDomain(scope, path, item);
    return domain === undefined ? undefined : declare(scope, path, domain, { settings: defaults.alone });
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
  record: Partial<Pick<DesiredWebsite, 'state' | 'protect'>> & Pick<DesiredWebsite, 'settings'>,
): DesiredWebsite {
  const { state = 'present', protect = false, settings } = record;
  return { domain, state, settings, protect, source: placeOf(scope, path) };
}

/** Reads a record that is a map. */
export function readRecord(
  scope: Scope,
  path: Path,
  map: Mapping,
  defaults: Defaults,
): DesiredWebsite | undefined {
  if (map.domain === undefined && isNamedByKey(scope, path, map)) return undefined;
  const unknown = readMap(scope, path, map, KNOWN)?.unknown ?? [];
  const domain = readOwnDomain(scope, path, map, unknown);
  const state = readOptional(scope, [...path, 'state'], STATE_KEY, map.state);
  if (state === 'absent') {
    refuseBesideAbsent(scope, path, map);
    return domain === undefined ? undefined : declare(scope, path, domain, { state, settings: NOTHING });
  }
  const protect =
    map.protect === undefined
      ? false
      : readValue(scope, [...path, 'protect'], PROTECT_KEY, map.protect)?.value;
  const own = readSettings(scope, path, map, defaults);
  const settings = isEmpty(own.settings) ? defaults.alone : layer(defaults.settings, own.settings);
  if (!own.failed.has('privacy') && !defaults.failed.has('privacy')) {
    refuseIdlePassword(scope, path, own.settings, settings);
  }
  if (domain === undefined || protect === undefined) return undefined;
  return declare(scope, path, domain, { protect, settings });
}

function isEmpty(settings: Settings): boolean {
  for (const _ in settings) return false;
  return true;
}

/** Told once and for all of `- shop.example.com: {…}`, which has its domain where a key should be. */
function isNamedByKey(scope: Scope, path: Path, map: Mapping): boolean {
  const key = Object.keys(map).find((name) => name.includes('.') && 'domain' in normaliseDomain(name));
  if (key === undefined) return false;
  tell(
    scope,
    [...path, key],
    {
      message: 'a domain stands where a key should be',
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
      message: `${words.format(dropped)} of ${JSON.stringify(text)} ${dropped.length === 1 ? 'is' : 'are'} ignored`,
      remedy: `Write ${domain}.`,
    });
  }
  if (kind === 'name') return;
  tell(scope, path, {
    code: 'domain-unusual',
    message:
      kind === 'ip'
        ? `${domain} is an IP address, not a domain`
        : `${domain} is a single label, without a dot`,
    remedy: 'Check that this is the website that you mean.',
  });
}

function refuseBesideAbsent(scope: Scope, path: Path, map: Mapping): void {
  const others = Object.keys(map).filter((key) => key !== 'domain' && key !== 'state' && KNOWN.includes(key));
  const [first] = others;
  if (first === undefined) return;
  tell(
    scope,
    [...path, first],
    {
      message: `state: absent takes no other key but domain; here it has ${others.join(', ')}`,
      remedy: 'Take them out, or the state.',
    },
    'key',
  );
}

/** A password that would never apply is a mistake (specification, section 2). */
function refuseIdlePassword(scope: Scope, path: Path, own: Settings, settings: Settings): void {
  if (!isPassword(own.password) || settings.privacy === PRIVACY.password) return;
  tell(
    scope,
    [...path, 'password'],
    {
      message: 'password applies with privacy: password alone',
      remedy: 'Add privacy: password, or take the password out.',
    },
    'key',
  );
}
