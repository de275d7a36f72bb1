/** The documents of all files → one configuration (decision: "Files are joined into one configuration"). */
import { isDeepStrictEqual } from 'node:util';
import { matcher } from '../../model/domain.ts';
import { formatPlace } from '../../model/errors.ts';
import { FIELD_NAMES, FIELDS, SECRET_NAMES, type SettingsDraft } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef, type SecretRef } from '../../model/secret.ts';
import type { Desired, Provenance, PruneRule } from '../../model/website.ts';
import { joinShortened } from '../../util/text.ts';
import type { BulkFiles } from '../bulk/files.ts';
import {
  ANCHOR_KEY,
  FILE_KEYS,
  fieldOf,
  PIN_NAMES,
  SERVICE_KEYS,
  SETTING_KEYS,
  type ServicePins,
  VERSION,
} from '../schema/keys.ts';
import { type DeclaredGroup, type Inherited, inheritedOf, readGroups } from './groups.ts';
import { gluedKey } from './meant.ts';
import { createDeclarations, type Declarations, provenanceOf, type RecordOrigin } from './record-places.ts';
import { readWebsites } from './records.ts';
import { type ReadSettings, readSettings } from './settings.ts';
import {
  type DeclaredTarget,
  joinTargets,
  readTargets,
  reportKeysAsPasswords,
  unknownScope,
} from './targets.ts';
import {
  type Declared,
  isMap,
  type Mapping,
  missingSpace,
  readKeys,
  readMap,
  type Scope,
  Spot,
} from './validate.ts';

export interface Combined {
  readonly desired: Desired;
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly prune: PruneRule | undefined;
  readonly outermost: Inherited;
  readonly groups: ReadonlyMap<string, DeclaredGroup>;
  /** The origins of the values of the record with an index; keeps all that was read in memory. */
  readonly provenance: (index: number) => readonly Provenance[];
  /** The place of the record with an index; keeps the same in memory. */
  readonly origin: (index: number) => RecordOrigin;
}

interface Top {
  readonly at: Spot;
  readonly values: {
    readonly prune?: PruneRule | undefined;
    readonly scope?: Patterns | undefined;
    readonly ignore?: Patterns | undefined;
    readonly protected?: Patterns | undefined;
  };
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly defaults: ReadSettings & { readonly at: Spot; readonly map: Mapping };
  readonly websites: Declared<unknown>;
}

type Patterns = readonly string[];

/**
 * Joins the documents of `scopes`. If not `whole`, further files could not be read, so nothing is reported as missing.
 */
export function combine(
  scopes: readonly Scope[],
  whole: boolean,
  bulkFiles: BulkFiles,
  target: string | undefined,
): Combined {
  const tops = scopes.flatMap((scope) => readTop(scope) ?? []);
  const outermost = joinLevels(tops, whole && tops.length === scopes.length);
  const declared = createDeclarations();
  const groups = readGroups(
    tops.map(({ websites }) => websites),
    outermost,
  );
  for (const { websites } of tops) readWebsites(websites, outermost, { groups, declared, bulkFiles });
  reportDuplicates(declared);
  reportIgnored(declared, declaredIn(tops, 'ignore'));
  const targets = joinTargets(tops.flatMap((top) => top.targets));
  reportKeysAsPasswords(targets, passwordsOf(declared));
  const scope = scopeOf(tops, targets, target);
  if (scope !== undefined) reportOutside(declared, scope);
  const parents = [...groups.byName].map(([name, { parent }]) => [name, parent] as const);
  return {
    desired: {
      websites: declared.websites,
      ignore: distinct(declaredIn(tops, 'ignore')),
      protected: distinct(declaredIn(tops, 'protected')),
      ...(parents.length > 0 && { groups: new Map(parents) }),
      ...(scope && { scope }),
    },
    outermost,
    groups: groups.byName,
    provenance: (index) => {
      const defaults = tops.map((top) => top.defaults);
      return provenanceOf(declared.originOf(index), declared.websites[index]?.group, groups.byName, defaults);
    },
    origin: declared.originOf,
    pins: joinService(tops),
    targets,
    prune: agreed('prune', declaredIn(tops, 'prune')),
  };
}

function readTop(scope: Scope): Top | undefined {
  const at = new Spot(scope, []);
  const map = topMap(at);
  if (map === undefined) return undefined;
  const known = Object.entries(map).filter(([key]) => !ANCHOR_KEY.test(key));
  const values = readKeys(at, Object.fromEntries(known), FILE_KEYS)?.values ?? {};
  const defaults = readMap(at.in('defaults'), map.defaults, Object.keys(SETTING_KEYS)) ?? {};
  return {
    at,
    values: { ...values, scope: values.scope ?? unknownScope(map) },
    pins: readKeys(at.in('service'), map.service, SERVICE_KEYS)?.values ?? {},
    targets: readTargets(at.in('targets'), map.targets),
    defaults: { at: at.in('defaults'), map: defaults, ...readSettings(at.in('defaults'), defaults) },
    websites: { at: at.in('websites'), value: map.websites },
  };
}

function topMap(at: Spot): Mapping | undefined {
  const { value } = at.scope.document;
  if (isMap(value)) return isKnownVersion(at.in('version'), value.version) ? value : undefined;
  const glued = typeof value === 'string' ? gluedKey(value) : undefined;
  if (value === null || value === undefined) {
    at.report({ message: 'the file is empty', remedy: 'Write "websites: []" to declare none.' });
  } else if (glued !== undefined) at.report(missingSpace(glued));
  else {
    const message = `the top of a file must be a map with the keys ${Object.keys(FILE_KEYS).join(', ')}`;
    at.report({ message, remedy: Array.isArray(value) ? 'Put the list under the key websites.' : undefined });
  }
  return undefined;
}

/** A file in an unknown version gets no other errors, which could be wrong. */
function isKnownVersion(at: Spot, version: unknown): boolean {
  if (version === undefined || version === VERSION) return true;
  const isOther = typeof version === 'number';
  at.report(
    isOther
      ? {
          message: `unknown format version ${version}: this release reads version ${VERSION}`,
          remedy: `Install a release of websites-as-code that reads version ${version}, or write version: ${VERSION}.`,
        }
      : { message: `version must be ${VERSION}`, remedy: `Write version: ${VERSION}.` },
  );
  return !isOther;
}

function declaredIn<K extends keyof Top['values']>(tops: readonly Top[], key: K) {
  return tops.flatMap(({ at, values }): Declared<NonNullable<Top['values'][K]>>[] => {
    const value = values[key];
    return value === undefined ? [] : [{ value, at: at.in(key) }];
  });
}

function distinct(patterns: readonly Declared<Patterns>[]): Patterns {
  return [...new Set(patterns.flatMap(({ value }) => value))];
}

/** A target's scope replaces that of the files. It is unknown as long as none of several targets is chosen. */
function scopeOf(
  tops: readonly Top[],
  targets: readonly DeclaredTarget[],
  name: string | undefined,
): Patterns | undefined {
  if (name === undefined && targets.length > 0) return undefined;
  const own = targets.find((target) => target.name === name)?.scope;
  const lists =
    own === undefined ? tops.flatMap(({ values }) => (values.scope ? [values.scope] : [])) : [own];
  if (lists.length === 0 || lists.some((patterns) => patterns.length === 0)) return undefined;
  return [...new Set(lists.flat())];
}

function joinService(tops: readonly Top[]): ServicePins {
  const entries = PIN_NAMES.flatMap((name) => {
    const declared = tops.flatMap(({ at, pins }) =>
      pins[name] === undefined ? [] : [{ value: pins[name], at: at.in('service', name) }],
    );
    const value = agreed(name, declared);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as ServicePins;
}

function* passwordsOf({ websites, domainAt }: Declarations): Generator<Declared<SecretRef>> {
  for (const [index, { settings }] of websites.entries()) {
    for (const name of SECRET_NAMES) {
      const value = settings[name];
      if (isSecretRef(value)) yield { value, at: domainAt(index) };
    }
  }
}

function joinLevels(tops: readonly Top[], whole: boolean): Inherited {
  const literals = tops[0]?.at.scope.secrets.book.literals;
  const literal = (value: Value): unknown =>
    isSecretRef(value) ? (literals?.get(formatSecretRef(value))?.reveal() ?? value) : value;
  const settings: SettingsDraft = {};
  for (const name of FIELD_NAMES) {
    const declared = tops.flatMap(({ defaults }) => {
      const value = defaults.settings[name];
      const key = Object.keys(defaults.map).find((one) => fieldOf(one) === name) ?? name;
      return value === undefined ? [] : [{ value, at: defaults.at.in(key) }];
    });
    const value = agreed(name, declared, (a, b) =>
      Array.isArray(a) ? FIELDS[name].kind.equal(a, b) : isDeepStrictEqual(literal(a), literal(b)),
    );
    if (value !== undefined) settings[name] = value;
  }
  const failed = whole ? tops.flatMap(({ defaults }) => [...defaults.failed]) : FIELD_NAMES;
  return inheritedOf({ settings, failed: new Set(failed) });
}

const MAX_REPORTED = 1000;

function reportDuplicates({ websites, domainAt }: Declarations): void {
  if (new Set(websites.map(({ domain }) => domain)).size === websites.length) return;
  const known = new Map<string, number>();
  let left = MAX_REPORTED;
  for (const [index, { domain }] of websites.entries()) {
    const earlier = known.get(domain);
    if (earlier === undefined) {
      known.set(domain, index);
      continue;
    }
    const message = `${domain} is declared twice; first at ${formatPlace(domainAt(earlier).place)}`;
    domainAt(index).report({ message, remedy: 'Keep one record for each domain.' });
    if (--left === 0) return;
  }
}

function reportIgnored({ websites, domainAt }: Declarations, lists: readonly Declared<Patterns>[]): void {
  const ignore = lists.flatMap(({ value, at }) =>
    value.map((pattern, index) => ({ pattern, at: at.in(index) })),
  );
  if (ignore.length === 0) return;
  const isIgnored = matcher(ignore.map(({ pattern }) => pattern));
  for (const [index, { domain }] of websites.entries()) {
    if (!isIgnored(domain)) continue;
    const found = ignore.find(({ pattern }) => matcher([pattern])(domain));
    if (found === undefined) continue;
    const by = `${JSON.stringify(found.pattern)} (${formatPlace(found.at.place)})`;
    const message = `${domain} is declared, and ignored by ${by}`;
    domainAt(index).report({ message, remedy: 'Remove the website, or change the pattern.' });
  }
}

const MAX_NAMED = 5;

function reportOutside({ websites, domainAt }: Declarations, scope: Patterns): void {
  const isWithin = matcher(scope);
  let left = MAX_REPORTED;
  for (const [index, { domain }] of websites.entries()) {
    if (isWithin(domain)) continue;
    domainAt(index).report({
      message: `${domain} is outside of the scope (${joinShortened(scope, MAX_NAMED)})`,
      remedy: 'Add a pattern to "scope", or declare the website in the files of its owner.',
    });
    if (--left === 0) return;
  }
}

/**
 * The common value of the declarations of a key. Different ones are reported with both places, and never with values,
 * which may be secrets.
 */
function agreed<T>(
  name: string,
  declared: readonly Declared<T>[],
  equal: (a: T, b: T) => boolean = isDeepStrictEqual,
): T | undefined {
  const [one, ...others] = declared;
  if (one === undefined) return undefined;
  for (const other of others) {
    if (equal(one.value, other.value)) continue;
    other.at.report({
      message: `${name} differs from ${formatPlace(one.at.place)}`,
      remedy: 'Declare it in one file, or with the same value.',
    });
  }
  return one.value;
}
