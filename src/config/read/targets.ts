/** Named services: what stands under `targets`, and what choosing one of them makes of a configuration. */
import { WebsitesError } from '../../model/errors.ts';
import { formatSecretRef, type SecretRef } from '../../model/secret.ts';
import type { PruneRule } from '../../model/website.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import {
  API_KEY_KEY,
  FILES_KEY,
  PIN_NAMES,
  PRUNE_KEY,
  SERVICE_KEYS,
  type ServicePins,
  TARGET_KEYS,
  whyNoTargetName,
} from '../schema/keys.ts';
import { wholeReference } from '../secrets/substitute.ts';
import type { Declared } from './agreement.ts';
import type { Path } from './document.ts';
import { type DeclaredScope, readScope } from './patterns.ts';
import { readReference } from './settings.ts';
import { isMap, type Mapping, readMap, readOptional, type Scope, tell } from './validate.ts';

/** A target as the files declare it. */
export interface DeclaredTarget {
  readonly name: string;
  readonly pins: ServicePins;
  readonly prune: PruneRule | undefined;
  /** What it is about, where it says so itself. */
  readonly within: DeclaredScope | undefined;
  readonly apiKey: SecretRef | undefined;
  /** The patterns of its own files, as they are written. */
  readonly files: readonly string[];
  readonly scope: Scope;
  readonly path: Path;
}

/** Reads the map under `targets`. */
export function readTargets(scope: Scope, raw: unknown): DeclaredTarget[] {
  if (raw === null || raw === undefined) return [];
  if (scope.file.isOfTarget) {
    const message = 'a file of a target cannot declare targets';
    tell(scope, ['targets'], { message, remedy: 'Declare them in a file that -f names.' }, 'key');
    return [];
  }
  if (!isMap(raw)) {
    tell(scope, ['targets'], { message: 'targets must be a map from names to settings' });
    return [];
  }
  return Object.keys(raw).flatMap((name) => readTarget(scope, name, raw[name]) ?? []);
}

function readTarget(scope: Scope, name: string, raw: unknown): DeclaredTarget | undefined {
  const path = ['targets', name];
  const reason = whyNoTargetName(name);
  if (reason !== undefined) tell(scope, path, { message: `${JSON.stringify(name)} ${reason}` }, 'key');
  const map = readMap(scope, path, raw, Object.keys(TARGET_KEYS))?.map;
  if (map === undefined || reason !== undefined) return undefined;
  return {
    name,
    pins: readPins(scope, path, map),
    prune: readOptional(scope, [...path, 'prune'], PRUNE_KEY, map.prune),
    within: readScope(scope, path, map.scope),
    apiKey: readKey(scope, [...path, 'api_key'], map.api_key),
    files: readOptional(scope, [...path, 'files'], FILES_KEY, map.files) ?? [],
    scope,
    path,
  };
}

/** Reads what is said of a service in the map at `path`. */
export function readPins(scope: Scope, path: Path, map: Mapping): ServicePins {
  const entries = PIN_NAMES.flatMap((name) => {
    const value = readOptional<unknown>(scope, [...path, name], SERVICE_KEYS[name], map[name]);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries) as ServicePins;
}

function readKey(scope: Scope, path: Path, raw: unknown): SecretRef | undefined {
  const name = typeof raw === 'string' ? wholeReference(raw) : undefined;
  if (name !== undefined) {
    tell(scope, path, { message: 'api_key must be a map', remedy: `Write { env: ${name} }.` });
    return undefined;
  }
  const ref = readOptional(scope, path, API_KEY_KEY, raw);
  return ref && readReference(scope, path, ref)?.value;
}

/** Each target once, by name. One that two files declare is told of at the second place. */
export function joinTargets(declared: readonly DeclaredTarget[]): readonly DeclaredTarget[] {
  const targets = new Map<string, DeclaredTarget>();
  for (const target of declared) {
    if (targets.has(target.name)) {
      const message = `the target ${target.name} is declared in another file too`;
      tell(target.scope, target.path, { message, remedy: 'Declare it in one file.' }, 'key');
    } else targets.set(target.name, target);
  }
  return [...targets.values()];
}

/** Tells of every reference to a password that is the API key of a target: it would be sent to a service as a value. */
export function tellKeysAsPasswords(
  targets: readonly DeclaredTarget[],
  passwords: Iterable<Declared<SecretRef>>,
): void {
  const keys = new Map(targets.flatMap(({ name, apiKey }) => (apiKey ? [[nameOf(apiKey), name]] : [])));
  if (keys.size === 0) return;
  for (const { value, scope, path } of passwords) {
    const target = keys.get(nameOf(value));
    if (target === undefined) continue;
    tell(scope, path, {
      message: `${formatSecretRef(value)} is the API key of the target ${target} and cannot be a password`,
      remedy: 'Use another variable or file.',
    });
  }
}

/** Variables are the same in capitals and small letters on some systems. */
function nameOf(ref: SecretRef): string {
  return 'env' in ref ? `env:${ref.env.toUpperCase()}` : formatSecretRef(ref);
}

/** The patterns of the files of one target in a document that is not read yet; variables are not put in. */
export function filesOf(document: unknown, target: string): readonly string[] {
  const targets = isMap(document) ? document.targets : undefined;
  const declared = isMap(targets) && Object.hasOwn(targets, target) ? targets[target] : undefined;
  const files = isMap(declared) ? declared.files : undefined;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}

/** The target that is meant; none where none is declared or asked for. Throws `usage`. */
export function chooseTarget(
  targets: readonly DeclaredTarget[],
  name: string | undefined,
): DeclaredTarget | undefined {
  const names = targets.map((target) => target.name);
  const all = `The targets are ${names.join(', ')}.`;
  if (name === undefined) {
    if (targets.length === 0) return undefined;
    throw new WebsitesError('usage', 'The configuration declares targets, but none is selected.', {
      remedy: `Pass --target NAME. ${all}`,
    });
  }
  const chosen = targets.find((target) => target.name === name);
  if (chosen !== undefined) return chosen;
  const isDomain = /[.*]/.test(name);
  const whatThereIs =
    targets.length === 0 ? 'The configuration declares no targets.' : suggestion(name, names, all);
  throw new WebsitesError('usage', `Unknown target: ${JSON.stringify(name)}.`, {
    remedy: isDomain ? `To select websites, pass --domain "${name}".` : whatThereIs,
  });
}
