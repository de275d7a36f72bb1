import { dirname, join, resolve } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import type { Value } from '../../model/field-types.ts';
import {
  apiKeyFrom,
  formatSecretRef,
  isSecretRef,
  type ResolveSecret,
  type SecretRef,
} from '../../model/secret.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import type { Environment } from '../../util/environment.ts';
import { type FoundFiles, findFiles, type YamlFiles } from '../files/files.ts';
import { type FileSources, isInside, MISSING, OUTSIDE, whyRefused } from '../files/paths.ts';
import { type ServicePins, TARGET_KEYS, TARGET_NAME } from '../schema/keys.ts';
import { variable } from '../secrets/substitute.ts';
import { type Finding, isMap, problemAt, type Spot } from './source.ts';
import { readMap } from './validate.ts';

export interface DeclaredTarget {
  readonly name: string;
  readonly pins: ServicePins;
  readonly scope: readonly string[] | undefined;
  readonly apiKey: SecretRef | undefined;
}

export function readTargets(at: Spot, raw: unknown, targets: Map<string, DeclaredTarget>): void {
  if (raw === null || raw === undefined) return;
  if (at.scope.file.isOfTarget) {
    const message = 'a file under "files" of a target cannot declare targets';
    at.report(
      { message, remedy: 'Declare them in websites.yaml, or in a file that you pass with -f.' },
      'key',
    );
  } else if (isMap(raw)) for (const name in raw) readTarget(at.in(name), raw[name], targets);
  else at.report({ message: 'targets must be a map from names to settings' });
}

function readTarget(at: Spot, raw: unknown, targets: Map<string, DeclaredTarget>): void {
  const { name } = at;
  const { api_key: apiKey, scope, files: _, ...pins } = readMap(at, raw, TARGET_KEYS);
  if (!new RegExp(TARGET_NAME).test(name)) {
    const message = `${JSON.stringify(name)} cannot be the name of a target`;
    at.report(
      {
        message,
        remedy: 'Use 1 to 63 of a-z, 0-9 and -, with no - at either end. The name "file" is reserved.',
      },
      'key',
    );
  } else if (targets.has(name)) {
    const message = `the target ${name} is declared in two files`;
    at.report({ message, remedy: 'Remove it from one of these files.' }, 'key');
  } else targets.set(name, { name, pins, scope, apiKey });
}

/** Rejects the API key of a target as a password, because it would be sent to a service. */
export function whyNoPassword(
  password: Value | undefined,
  targets: readonly DeclaredTarget[],
): Finding | undefined {
  if (password === undefined || !isSecretRef(password)) return undefined;
  const target = targets.find(({ apiKey }) => apiKey && nameOf(apiKey) === nameOf(password));
  return (
    target && {
      message: `${formatSecretRef(password)} is the API key of the target ${target.name} and cannot be a password`,
      remedy: 'Use another variable or file for the password.',
    }
  );
}

/** Compared in capitals, because names of environment variables ignore letter case on Windows. */
function nameOf(ref: SecretRef): string {
  return 'env' in ref ? `env:${ref.env.toUpperCase()}` : formatSecretRef(ref);
}

/** Returns the patterns for the files of one target in a document. Variables are not replaced. */
function filesOf(document: unknown, target: string): readonly string[] {
  const targets = isMap(document) ? document.targets : undefined;
  const declared = isMap(targets) && Object.hasOwn(targets, target) ? targets[target] : undefined;
  const files = isMap(declared) ? declared.files : undefined;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}

/** Returns the chosen target; undefined if no target is declared or requested. Throws `usage`. */
export function chooseTarget(
  targets: readonly DeclaredTarget[],
  name: string | undefined,
): DeclaredTarget | undefined {
  const names = targets.map((target) => target.name);
  const all =
    names.length === 0
      ? 'Omit --target: the configuration declares no targets.'
      : `Pass --target ${names.join(' or ')}.`;
  const chosen = targets.find((target) => target.name === name);
  if (chosen !== undefined || (name === undefined && names.length === 0)) return chosen;
  if (name === undefined) {
    const message = 'The configuration declares targets, but none is selected.';
    throw new WebsitesError('usage', message, { remedy: all });
  }
  const isDomain = /[.*]/.test(name);
  const remedy = isDomain ? `To select websites, pass --domain "${name}".` : suggestion(name, names, all);
  throw new WebsitesError('usage', `Unknown target: ${JSON.stringify(name)}.`, { remedy });
}

/** Finds the files of `target`, by the rules for -f. Displayed paths are relative to `cwd`. */
export async function findTargetFiles(
  { documents, problems }: YamlFiles,
  target: string | undefined,
  sources: FileSources,
  cwd: string,
): Promise<readonly FoundFiles[]> {
  const found: FoundFiles[] = [];
  for (const { file, document } of documents) {
    if (target === undefined) break;
    for (const [index, pattern] of filesOf(document.value, target).entries()) {
      const one = await find(resolve(dirname(file.absolute), pattern), sources, cwd);
      const range = document.locate(['targets', target, 'files', index]);
      if ('message' in one) problems.push(problemAt(document.source, range, one, document.hidden));
      else found.push(one);
    }
  }
  return found;
}

async function find(path: string, sources: FileSources, cwd: string): Promise<FoundFiles | Finding> {
  // Checked before the search, so that the error reveals nothing about files outside.
  if (!isInside(path, [sources.folder, ...sources.allowPaths])) return OUTSIDE;
  try {
    const found = await findFiles([path], { cwd, readAt: sources.readAt });
    for (const { absolute } of found.files) {
      const refused = await whyRefused(absolute, sources);
      if (refused !== undefined) return refused;
    }
    return found;
  } catch (error) {
    // WebsitesError and errors of the file system have a code. Any other error is a bug.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return MISSING;
  }
}

export interface NamedService {
  readonly name: string;
  readonly keySource: string | undefined;
  /**
   * Returns the API key of the target. No other key is sent to it. Throws `key-missing`, `secret-missing`, `usage`,
   * `base-url-invalid`.
   */
  key(): Promise<string>;
}

/** Settings of the chosen service: from the files, and from flags and variables that override them. */
export interface ChosenPins extends ServicePins {
  readonly target?: NamedService;
}

export function variableFor(prefix: 'WEBSITES_API_KEY' | 'WEBSITES_BASE_URL', target: string): string {
  return `${prefix}_${target.replaceAll('-', '_').toUpperCase()}`;
}

export function pinnedAddress(target: string, env: Environment): string | undefined {
  return variable(env, variableFor('WEBSITES_BASE_URL', target)) || undefined;
}

/** Returns the state directory of `target` in `folder`, or `folder` itself without targets. */
export function rootIn(folder: string, target: string | undefined): string {
  return target === undefined ? folder : join(folder, 'targets', target);
}

export function namedService(
  name: string,
  apiKey: SecretRef | undefined,
  env: Environment,
  resolveSecret: ResolveSecret,
): NamedService {
  const own = variableFor('WEBSITES_API_KEY', name);
  const isSet = Boolean(variable(env, own)?.trim());
  return {
    name,
    keySource: isSet ? own : apiKey && formatSecretRef(apiKey),
    async key() {
      refuseUnpinned(name, env);
      const value = apiKeyFrom(variable(env, own), own);
      if (value !== undefined) return value;
      const declared = apiKey && apiKeyFrom((await resolveSecret(apiKey)).reveal(), formatSecretRef(apiKey));
      if (declared !== undefined) return declared;
      throw new WebsitesError('key-missing', `No API key is set for the target ${name}.`, {
        remedy: `Set ${own}, or give the target an api_key in the file. No other key is sent to it.`,
      });
    },
  };
}

/**
 * If the environment sets the URL of one target, it must set the URL of each target. Otherwise a target that a pull
 * request adds could receive any key or password that it names.
 */
function refuseUnpinned(name: string, env: Environment): void {
  if (pinnedAddress(name, env) !== undefined) return;
  const pinned = Object.keys(env).find((key) => /^WEBSITES_BASE_URL_./.test(key) && variable(env, key));
  if (pinned === undefined) return;
  throw new WebsitesError(
    'base-url-invalid',
    `${variableFor('WEBSITES_BASE_URL', name)} is not set, and ${pinned} is.`,
    {
      remedy: 'If you set WEBSITES_BASE_URL_NAME for one target, set it for every target.',
    },
  );
}
