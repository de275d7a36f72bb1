/** The documents of all files → one configuration (decision: "Files are joined into one configuration"). */
import { isDeepStrictEqual } from 'node:util';
import { matcher } from '../../model/domain.ts';
import { formatPlace } from '../../model/errors.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  SECRET_NAMES,
  type SettingsDraft,
} from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef, type SecretRef } from '../../model/secret.ts';
import type { Desired, Provenance, PruneRule } from '../../model/website.ts';
import type { BulkFiles } from '../bulk/files.ts';
import { fieldOf, PIN_NAMES, type ServicePins } from '../schema/keys.ts';
import { type DeclaredGroup, type Inherited, inheritedOf, readGroups } from './groups.ts';
import { type DeclaredScope, joinScopes, tellOutside } from './patterns.ts';
import { provenanceOf } from './provenance.ts';
import { createDeclarations, type Declarations, domainPath, type Origin } from './record-places.ts';
import { type Reading, readWebsites } from './records.ts';
import { type DeclaredTarget, joinTargets, tellKeysAsPasswords } from './targets.ts';
import { readTop, type Top } from './top-level.ts';
import { type Declared, placeOf, type Scope, tell } from './validate.ts';

export interface Combined {
  readonly desired: Desired;
  /** What the files say of the service, without any target. */
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly prune: PruneRule | undefined;
  /** What holds for the records that are in no group. */
  readonly outermost: Inherited;
  readonly groups: ReadonlyMap<string, DeclaredGroup>;
  /** Where the values of the record with an index come from; keeps all that was read. */
  readonly provenance: (index: number) => readonly Provenance[];
  /** Where the record with an index is written; keeps the same. */
  readonly origin: (index: number) => Origin;
}

/**
 * Reads and joins the documents of `scopes`, in their order; what is wrong is told there. `whole` is
 * false where further files could not be read: then nothing is said of what they may have declared. `target` is the one
 * that is meant, if any is.
 */
export function combine(
  scopes: readonly Scope[],
  whole: boolean,
  bulkFiles: BulkFiles,
  target: string | undefined,
): Combined {
  const tops = scopes.flatMap((scope) => readTop(scope) ?? []);
  const isWhole = whole && tops.length === scopes.length;
  const outermost = joinLevels(tops, isWhole);
  const ignore = tops.flatMap((top) => top.ignore);
  const declared = createDeclarations();
  const groups = readGroups(tops, outermost);
  const reading: Reading = { groups, declared, bulkFiles };
  for (const { scope, websites } of tops) readWebsites(scope, ['websites'], websites, outermost, reading);
  tellDuplicates(declared);
  tellIgnored(declared, ignore);
  const targets = joinTargets(tops.flatMap((top) => top.targets));
  tellKeysAsPasswords(targets, passwordsOf(declared));
  const within = scopeOf(tops, targets, target);
  tellOutside(declared, within);
  return {
    desired: {
      websites: declared.websites,
      ignore: distinct(ignore),
      protected: distinct(tops.flatMap((top) => top.protected)),
      ...(groups.byName.size === 0 ? {} : { groups: parentsOf(groups.byName) }),
      ...(within && { scope: distinct(within.patterns) }),
    },
    outermost,
    groups: groups.byName,
    provenance: (index) =>
      provenanceOf(declared.originOf(index), declared.websites[index]?.group, groups.byName, tops),
    origin: declared.originOf,
    pins: joinService(tops),
    targets,
    prune: agreed(
      'prune',
      tops.flatMap((top) => top.prune ?? []),
    ),
  };
}

function parentsOf(groups: Combined['groups']): NonNullable<Desired['groups']> {
  return new Map([...groups].map(([name, { parent }]) => [name, parent]));
}

/** That of the target replaces that of the files. Where none of several targets is meant, nothing is known of it. */
function scopeOf(
  tops: readonly Top[],
  targets: readonly DeclaredTarget[],
  name: string | undefined,
): DeclaredScope | undefined {
  if (name === undefined && targets.length > 0) return undefined;
  const own = targets.find((target) => target.name === name)?.within;
  return own ?? joinScopes(tops.flatMap((top) => top.within ?? []));
}

function distinct(patterns: readonly Declared<string>[]): string[] {
  return [...new Set(patterns.map(({ value }) => value))];
}

function joinService(tops: readonly Top[]): ServicePins {
  const entries = PIN_NAMES.flatMap((name) => {
    const declared = tops.flatMap(({ scope, pins }) =>
      pins[name] === undefined ? [] : [{ value: pins[name], scope, path: ['service', name] }],
    );
    const value = agreed(name, declared);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as ServicePins;
}

function* passwordsOf({ websites, originOf }: Declarations): Generator<Declared<SecretRef>> {
  for (const [index, { settings }] of websites.entries()) {
    for (const name of SECRET_NAMES) {
      const value = settings[name];
      if (!isSecretRef(value)) continue;
      const origin = originOf(index);
      yield { value, scope: origin.scope, path: domainPath(origin) };
    }
  }
}

/** The top of all files is one level. */
function joinLevels(tops: readonly Top[], whole: boolean): Inherited {
  const settings: SettingsDraft = {};
  for (const name of FIELD_NAMES) {
    const value = agreed(name, defaultsFor(name, tops), (a, b) => isSameDefault(name, a, b, tops));
    if (value !== undefined) settings[name] = value;
  }
  const failed = whole ? tops.flatMap(({ defaults }) => [...defaults.failed]) : FIELD_NAMES;
  return inheritedOf({ settings, failed: new Set(failed) });
}

/** Where files declare a field for all of their records. */
function defaultsFor(name: FieldName, tops: readonly Top[]): Declared<Value>[] {
  return tops.flatMap(({ scope, defaults: { settings, map } }) => {
    const value = settings[name];
    if (value === undefined) return [];
    const key = Object.keys(map).find((one) => fieldOf(one) === name) ?? name;
    return [{ value, scope, path: ['defaults', key] }];
  });
}

function isSameDefault(name: FieldName, a: Value, b: Value, tops: readonly Top[]): boolean {
  if (Array.isArray(a)) return FIELDS[name].kind.equal(a, b);
  const literal = (value: Value): unknown =>
    isSecretRef(value)
      ? (tops[0]?.scope.secrets.book.literals.get(formatSecretRef(value))?.reveal() ?? value)
      : value;
  return isDeepStrictEqual(literal(a), literal(b));
}

/** Of a list that was named twice, or put together wrongly, no more than these are told. */
const MOST_DUPLICATES = 1000;

function tellDuplicates({ websites, originOf }: Declarations): void {
  if (new Set(websites.map(({ domain }) => domain)).size === websites.length) return;
  const known = new Map<string, number>();
  let left = MOST_DUPLICATES;
  for (const [index, { domain }] of websites.entries()) {
    const earlier = known.get(domain);
    if (earlier === undefined) {
      known.set(domain, index);
      continue;
    }
    const origin = originOf(index);
    const first = originOf(earlier);
    tell(origin.scope, domainPath(origin), {
      message: `${domain} is declared twice; first at ${formatPlace(placeOf(first.scope, domainPath(first)))}`,
      remedy: 'Keep one record for each domain.',
    });
    if (--left === 0) return;
  }
}

function tellIgnored({ websites, originOf }: Declarations, ignore: readonly Declared<string>[]): void {
  if (ignore.length === 0) return;
  const isIgnored = matcher(ignore.map(({ value }) => value));
  for (const [index, { domain }] of websites.entries()) {
    if (!isIgnored(domain)) continue;
    const pattern = ignore.find(({ value }) => matcher([value])(domain));
    if (pattern === undefined) continue;
    const origin = originOf(index);
    tell(origin.scope, domainPath(origin), {
      message: `${domain} is declared, and ignored by ${JSON.stringify(pattern.value)} (${formatPlace(placeOf(pattern.scope, pattern.path))})`,
      remedy: 'Remove the website, or change the pattern.',
    });
  }
}

/**
 * What several declarations of one key agree on. Those that differ from the first are told of at their own
 * place, with that of the first; never with the values, which may be secrets.
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
    tell(other.scope, other.path, {
      message: `${name} differs from ${formatPlace(placeOf(one.scope, one.path))}`,
      remedy: 'Declare it in one file, or with the same value.',
    });
  }
  return one.value;
}
