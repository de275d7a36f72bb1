import { resolve } from 'node:path';
import { type Problem, WebsitesError } from '../model/errors.ts';
import type { ResolveSecret, Secret } from '../model/secret.ts';
import type { Environment } from '../util/environment.ts';
import { sha256 } from '../util/node/sha256.ts';
import { count } from '../util/text.ts';
import { openBulkFiles } from './bulk/files.ts';
import { findFiles, readYamlFiles, type YamlFiles } from './files/files.ts';
import { type ReadAt, readThere } from './files/paths.ts';
import { type Combined, combine } from './read/merge.ts';
import { type FileDocument, isMap, type Scope } from './read/source.ts';
import {
  type ChosenPins,
  chooseTarget,
  findTargetFiles,
  namedService,
  pinnedAddress,
  rootIn,
} from './read/targets.ts';
import { ALL_SECRET_KEYS } from './schema/keys.ts';
import { secretResolver } from './secrets/secret.ts';
import { referencedNames } from './secrets/substitute.ts';

export interface ConfigOptions {
  readonly patterns: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** More directories that `{ file }` may lead to, relative to `cwd`. */
  readonly allowPaths?: readonly string[] | undefined;
  readonly target?: string | undefined;
  readonly readAt?: ReadAt | undefined;
  readonly contents?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Keeps the content of the files in memory, for `provenance` and `origin`. */
  readonly explains?: true;
  /** Skips records, and the files that contain only records. */
  readonly withoutRecords?: boolean | undefined;
  readonly folder?: string | undefined;
  readonly secretsFolder?: string | undefined;
  /** State directory, relative to `cwd`. By default it is the directory of the files. */
  readonly stateFolder?: string | undefined;
}

export interface Config extends Omit<Combined, 'targets' | 'provenance' | 'origin'> {
  readonly provenance: Combined['provenance'] | undefined;
  readonly origin: Combined['origin'] | undefined;
  readonly targetNames: readonly string[];
  readonly pins: ChosenPins;
  /** Path of each file to display, with the SHA-256 of its bytes. */
  readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
  readonly digest: string;
  /** Named directories that contain no YAML files. */
  readonly unmatched: readonly string[];
  readonly open: readonly string[];
  readonly cwd: string;
  readonly folder: string;
  /** Absolute path of the state directory. A target has a subdirectory. */
  readonly root: string;
  readonly warnings: readonly Problem[];
  /** The warnings, and one for each of `unmatched`. */
  readonly notes: readonly Problem[];
  readonly resolveSecret: ResolveSecret;
}

/** Throws `config-missing`, `file-failed`, `config-invalid` with all problems, and `usage` for an unknown target. */
export async function loadConfig(options: ConfigOptions): Promise<Config> {
  return configOf(await readValid(options), options);
}

/** Returns one configuration per target, or the only one. Throws like loadConfig, with the problems of all targets. */
export async function loadEach(options: Omit<ConfigOptions, 'target'>): Promise<readonly Config[]> {
  const shared = await readAll(options);
  const each: ReadConfig[] = [];
  for (const { name } of shared.targets) each.push(await readAll({ ...options, target: name }));
  refuseInvalid(sortProblems([shared, ...each].flatMap(({ problems }) => problems)));
  return (each.length === 0 ? [shared] : each).map((read) => configOf(read, options));
}

export async function loadTargetNames(options: Omit<ConfigOptions, 'target'>): Promise<readonly string[]> {
  const { targets } = await readValid(options);
  return targets.map(({ name }) => name);
}

function configOf(read: ReadConfig, { env, cwd, stateFolder }: ConfigOptions): Config {
  const { targets, wanted, problems: warnings, ...rest } = read;
  const target = chooseTarget(targets, wanted);
  const targetNames = targets.map(({ name }) => name);
  const folder = stateFolder === undefined ? rest.folder : resolve(cwd, stateFolder);
  const notes = [...warnings, ...rest.unmatched.map(noFile)];
  const config = { ...rest, warnings, notes, targetNames, root: rootIn(folder, target?.name) };
  if (target === undefined) return config;
  const { name, apiKey } = target;
  const address = pinnedAddress(name, env);
  const pins = { ...config.pins, ...target.pins, ...(address !== undefined && { base_url: address }) };
  return { ...config, pins: { ...pins, target: namedService(name, apiKey, env, config.resolveSecret) } };
}

type ReadConfig = Awaited<ReturnType<typeof readAll>>;

async function readValid(options: ConfigOptions): Promise<ReadConfig> {
  const read = await readAll(options);
  refuseInvalid(read.problems);
  return read;
}

async function readAll(options: ConfigOptions) {
  const { cwd, env, stdin, target, readAt = readThere, contents, secretsFolder } = options;
  const found = await findFiles(options.patterns, options);
  const folder = options.folder ?? found.folder;
  const allowPaths = (options.allowPaths ?? []).map((path) => resolve(cwd, path));
  const sources = { env, folder, allowPaths, readAt, contents, secretsFolder };
  const book = { literals: new Map<string, Secret>(), places: new Map() };
  const read: YamlFiles = { files: [], documents: [], problems: [] };
  await readYamlFiles(found.files, stdin, sources, read);
  const { documents, problems } = read;
  const own = await findTargetFiles(read, target, sources, cwd);
  const ofTarget = own.flatMap(({ files }) => files.map((file) => ({ ...file, isOfTarget: true as const })));
  await readYamlFiles(ofTarget, stdin, sources, read);
  const bulkFiles = await openBulkFiles(options.withoutRecords ? [] : documents, sources, cwd);
  let names: ReadonlySet<string> | undefined;
  const variables = {
    env,
    get secretNames() {
      names ??= secretNames(documents, bulkFiles.secretNames());
      return names;
    },
  };
  const scopes = documents.map((one): Scope => ({ ...one, secrets: { sources, book }, variables, problems }));
  const combined = combine(scopes, bulkFiles, options);
  const bulk = bulkFiles.files.map(({ file, digest }) => ({ path: file.path, digest, bulk: true as const }));
  const files: Config['files'] = [...read.files, ...bulk];
  const digests = files.map(({ digest }) => digest).sort();
  return {
    ...combined,
    provenance: options.explains && combined.provenance,
    origin: options.explains && combined.origin,
    wanted: target,
    files,
    digest: sha256(digests.join('\n')),
    unmatched: [found, ...own].flatMap(({ unmatched }) => unmatched),
    open: [found, ...own].flatMap(({ open }) => open),
    cwd: resolve(cwd),
    folder,
    problems: sortProblems(problems),
    resolveSecret: secretResolver(sources, book),
  };
}

/** Returns the names, in capitals, of environment variables that files use for secrets. */
function secretNames(
  documents: readonly FileDocument[],
  ofBulkFiles: readonly string[],
): ReadonlySet<string> {
  const ofFiles = documents.flatMap(({ document }) => [...secretVariablesIn(document.value)]);
  return new Set([...ofBulkFiles, ...ofFiles].map((name) => name.toUpperCase()));
}

function* secretVariablesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* secretVariablesIn(item);
  if (!isMap(value)) return;
  for (const key in value) {
    const own = value[key];
    if (!ALL_SECRET_KEYS.includes(key)) yield* secretVariablesIn(own);
    else if (typeof own === 'string') yield* referencedNames(own);
    else if (isMap(own) && typeof own.env === 'string') yield own.env;
  }
}

/** Sorts problems by file and place. A cause that repeats in many records is reported once. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const distinct = new Map<string, Problem>();
  for (const problem of problems) {
    const { file = '', line = 0, column = 0 } = problem.place ?? {};
    distinct.set(JSON.stringify([file, line, column, problem.severity, problem.message]), problem);
  }
  return [...distinct.values()].sort(({ place: a }, { place: b }) => {
    if (a === undefined || b === undefined) return 0;
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || a.column - b.column;
  });
}

const FIX = 'Fix these problems. "websites validate" checks the files offline.';

function refuseInvalid(problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  const warnings = problems.length - errors;
  const files = new Set(problems.map(({ place }) => place?.file)).size;
  const counts = [count(errors, 'error'), ...(warnings > 0 ? [count(warnings, 'warning')] : [])];
  throw new WebsitesError('config-invalid', `${counts.join(', ')} in ${count(files, 'file')}.`, {
    remedy: FIX,
    problems,
  });
}

/** Reported as a warning, because the guard for empty files blocks the plan. */
export function noFile(folder: string): Problem {
  return {
    severity: 'warning',
    code: 'file-pattern-unmatched',
    message: `no YAML file in ${folder}`,
    remedy: 'Check the path of the directory, or add a YAML file to it.',
  };
}
