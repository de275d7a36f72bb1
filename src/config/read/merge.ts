/** The documents of all files → one configuration (decision: "Files are joined into one configuration"). */
import { isDeepStrictEqual } from 'node:util';
import { matcher } from '../../model/domain.ts';
import { formatPlace } from '../../model/errors.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  SECRET_NAMES,
  type Settings,
  type SettingsDraft,
} from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef, type SecretRef } from '../../model/secret.ts';
import type { Desired } from '../../model/website.ts';
import type { BulkFiles } from '../bulk/files.ts';
import { readFrom } from '../bulk/websites.ts';
import { PIN_NAMES, PRESENCE_FIELDS, type ServicePins } from '../schema/keys.ts';
import { agreed, type Declared } from './agreement.ts';
import { createDeclarations, type Declarations } from './record-places.ts';
import { type Defaults, type ReadFrom, readWebsites } from './records.ts';
import { layer } from './settings.ts';
import { type DeclaredTarget, joinTargets, tellKeysAsPasswords } from './targets.ts';
import { readTop, type Top } from './top-level.ts';
import { placeOf, type Scope, tell } from './validate.ts';

export interface Combined {
  readonly desired: Desired;
  /** What the files say of the service, without any target. */
  readonly pins: ServicePins;
  readonly targets: readonly DeclaredTarget[];
  readonly prune: boolean | undefined;
  /** What holds for every record that does not declare it itself. */
  readonly defaults: Settings;
}

/**
 * Reads and joins the documents of `scopes`, in their order; what is wrong is told there. `whole` is
 * false where further files could not be read: then nothing is said of what they may have declared.
 */
export function combine(scopes: readonly Scope[], whole: boolean, bulkFiles: BulkFiles): Combined {
  const tops = scopes.flatMap((scope) => readTop(scope) ?? []);
  const isWhole = whole && tops.length === scopes.length;
  const defaults = joinDefaults(tops, isWhole);
  const ignore = tops.flatMap((top) => top.ignore);
  const declared = createDeclarations();
  const bulk: ReadFrom = (scope, path, map) => readFrom(scope, path, map, defaults, bulkFiles, declared);
  for (const { scope, websites } of tops) {
    readWebsites(scope, websites, defaults, bulk, declared);
  }
  tellDuplicates(declared);
  tellIgnored(declared, ignore);
  const targets = joinTargets(tops.flatMap((top) => top.targets));
  tellKeysAsPasswords(targets, passwordsOf(declared));
  return {
    desired: {
      websites: declared.websites,
      ignore: distinct(ignore),
      protected: distinct(tops.flatMap((top) => top.protected)),
    },
    defaults: defaults.settings,
    pins: joinService(tops),
    targets,
    prune: agreed(
      'prune',
      tops.flatMap((top) => top.prune ?? []),
    ),
  };
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
      if (isSecretRef(value)) yield { value, ...originOf(index) };
    }
  }
}

function joinDefaults(tops: readonly Top[], whole: boolean): Defaults {
  const settings: SettingsDraft = {};
  for (const name of FIELD_NAMES) {
    const declared = tops.flatMap((top) => declaredDefault(top, name) ?? []);
    const value = agreed(name, declared, (a, b) => isSameDefault(name, a, b, tops));
    if (value !== undefined) settings[name] = value;
  }
  const failed = whole ? tops.flatMap((top) => [...top.defaults.failed]) : FIELD_NAMES;
  return { settings, alone: layer(settings, {}), failed: new Set(failed) };
}

function declaredDefault({ scope, defaults }: Top, name: FieldName): Declared<Value> | undefined {
  const value = defaults.settings[name];
  if (value === undefined) return undefined;
  const presence = [...PRESENCE_FIELDS].find(([key, field]) => field === name && key in defaults.map)?.[0];
  return { value, scope, path: ['defaults', presence ?? name] };
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
    const { scope, path } = originOf(index);
    const first = originOf(earlier);
    tell(scope, path, {
      message: `${domain} is declared twice; first at ${formatPlace(placeOf(first.scope, first.path))}`,
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
    const { scope, path } = originOf(index);
    tell(scope, path, {
      message: `${domain} is declared, and ignored by ${JSON.stringify(pattern.value)} (${formatPlace(placeOf(pattern.scope, pattern.path))})`,
      remedy: 'Take out the record, or change the pattern.',
    });
  }
}
