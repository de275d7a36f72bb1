/** The files of a configuration, read and checked as one. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { WebsitesError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import type { Secret } from '../core/secret.ts';
import { type BulkFiles, openBulkFiles } from './bulk/files.ts';
import { type Combined, combine, secretNames } from './combine.ts';
import { unreadable } from './disk.ts';
import { readYaml } from './fast/fast.ts';
import { type ConfigFile, findFiles, STDIN } from './files.ts';
import type { Document } from './parse.ts';
import type { Scope } from './read.ts';
import { createSecretResolver, type SecretResolver, type SecretSources } from './secrets.ts';
import { decodeSource } from './source.ts';
import type { Env } from './substitute.ts';

export interface LoadOptions {
  /** What `-f` named; none means the nearest `websites.yaml`. */
  readonly patterns: readonly string[];
  readonly cwd: string;
  readonly env: Env;
  /** Standard input, read only for the pattern `-`. */
  readonly stdin: AsyncIterable<Uint8Array | string>;
  /** Where `{ file }` may lead beside the folder of the first file; relative to `cwd`. */
  readonly allowPaths?: readonly string[];
}

export interface Config extends Combined {
  /** Each file as the user would write it, with the SHA-256 of its bytes; bulk ones are marked. */
  readonly files: readonly { readonly path: string; readonly digest: string; readonly bulk?: true }[];
  /** SHA-256 over the digests of the files, in whatever order they were named. */
  readonly digest: string;
  /** Patterns that no file matches: nothing they were to declare is in `desired`. */
  readonly unmatched: readonly string[];
  /** The folder of the first file; the working folder for standard input, or without a file. */
  readonly root: string;
  readonly warnings: readonly Problem[];
  readonly secrets: SecretResolver;
}

/**
 * Finds, reads and checks the files. Throws `config-missing` where a named file is not there,
 * `file-failed` where it cannot be read, and `config-invalid` with every problem of every file.
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { files, unmatched } = await findFiles(options.patterns, options);
  const contents: Uint8Array[] = [];
  // One after the other: a folder may hold more files than a process may have open.
  for (const file of files) contents.push(await readBytes(file, options.stdin));
  const sources = secretSources(files, options);
  const book = { literals: new Map<string, Secret>(), places: new Map() };
  const parsed = await parseFiles(files, contents);
  const bulkFiles = await openBulkFiles(parsed.documents, sources, options.cwd);
  const isWhole = parsed.documents.length === files.length;
  const { combined, problems } = readFiles(parsed, isWhole, bulkFiles, { sources, book }, options.env);
  const told = sortProblems(problems);
  const errors = told.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw invalid(errors, told);
  const read = [
    ...files.map(({ path }, index) => ({ path, digest: sha256(contents[index] ?? '') })),
    ...bulkFiles.files.map(({ file, digest }) => ({ path: file.path, digest, bulk: true as const })),
  ];
  return {
    ...combined,
    files: read,
    digest: sha256(
      read
        .map(({ digest }) => digest)
        .sort()
        .join('\n'),
    ),
    unmatched,
    root: sources.root,
    warnings: told,
    secrets: createSecretResolver(sources, book),
  };
}

function secretSources(
  files: readonly ConfigFile[],
  { cwd, env, allowPaths = [] }: LoadOptions,
): SecretSources {
  const [first] = files;
  return {
    env,
    root: first === undefined ? resolve(cwd) : dirname(first.absolute),
    allowPaths: allowPaths.map((path) => resolve(cwd, path)),
  };
}

async function readBytes(file: ConfigFile, stdin: LoadOptions['stdin']): Promise<Uint8Array> {
  if (file.path !== STDIN) return readFile(file.absolute).catch(unreadable(file.path));
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

interface Parsed {
  readonly documents: readonly { readonly file: ConfigFile; readonly document: Document }[];
  readonly problems: readonly Problem[];
}

async function parseFiles(files: readonly ConfigFile[], contents: readonly Uint8Array[]): Promise<Parsed> {
  const problems: Problem[] = [];
  const documents: { file: ConfigFile; document: Document }[] = [];
  for (const [index, file] of files.entries()) {
    const source = decodeSource(file.path, contents[index] ?? new Uint8Array());
    const { document, problems: found } =
      'text' in source ? await readYaml(source) : { document: undefined, problems: [source] };
    problems.push(...found);
    if (document !== undefined) documents.push({ file, document });
  }
  return { documents, problems };
}

/** From here on nothing is read but memory. */
function readFiles(
  parsed: Parsed,
  isWhole: boolean,
  bulkFiles: BulkFiles,
  secrets: Scope['secrets'],
  env: Env,
): { combined: Combined; problems: readonly Problem[] } {
  const { documents } = parsed;
  const problems = [...parsed.problems];
  const names = secretNames(
    documents.map(({ document }) => document.value),
    bulkFiles.secretNames,
  );
  const variables = { env, secretNames: names };
  const scopes = documents.map((one): Scope => ({ ...one, secrets, variables, problems }));
  return { combined: combine(scopes, isWhole, bulkFiles), problems };
}

/** By file and place; what one cause brings about in many records is told once. */
function sortProblems(problems: readonly Problem[]): Problem[] {
  const distinct = new Map<string, Problem>();
  for (const problem of problems) {
    const { file = '', line = 0, column = 0 } = problem.place ?? {};
    distinct.set(JSON.stringify([file, line, column, problem.message]), problem);
  }
  return [...distinct.values()].sort(compareProblems);
}

function compareProblems({ place: a }: Problem, { place: b }: Problem): number {
  if (a === undefined || b === undefined) return 0;
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function invalid(errors: readonly Problem[], told: readonly Problem[]): WebsitesError {
  const files = new Set(errors.map(({ place }) => place?.file)).size;
  const count = errors.length === 1 ? '1 problem' : `${errors.length} problems`;
  return new WebsitesError('config-invalid', `${count} in ${files === 1 ? '1 file' : `${files} files`}.`, {
    remedy: 'Mend what is named above; `websites validate` checks the files without a service.',
    problems: told,
  });
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
