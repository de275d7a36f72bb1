import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Problem, WebsitesError } from '../../model/errors.ts';
import { shellWord } from '../../model/next-command.ts';
import { memoize } from '../../util/memoize.ts';
import { collectBytes, readNamed, readRegularFile } from '../../util/node/read-file.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { decodeSource, type FileDocument } from '../read/source.ts';
import { readYaml } from '../yaml/fast/read.ts';
import {
  type FileSources,
  followed,
  isInside,
  listFolder,
  type ReadAt,
  readThere,
  realPath,
  statusOf,
  throwUnreadable,
  toPosix,
} from './paths.ts';

export const STDIN = '-';
export const DEFAULT_FILE = 'websites.yaml';
const DEFAULT_FOLDER = 'websites';
const OPEN_FILE = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

/** True for standard input or an open pipe, which can be read only once. */
export function isStream(name: string): boolean {
  return name === STDIN || OPEN_FILE.test(name);
}

export type Stdin = AsyncIterable<Uint8Array | string>;

/** Reads a file that the user named: the file at `path`, a pipe, or standard input. Throws `file-failed`. */
export function readNamedFile(name: string, path: string, stdin: Stdin): Promise<Buffer> {
  if (name === STDIN) return collectBytes(stdin).catch(throwUnreadable('Standard input'));
  return readNamed(path).catch(throwUnreadable(name));
}

export interface ConfigFile {
  /** Path to display: relative to the working directory, or the name of a stream. */
  readonly path: string;
  readonly absolute: string;
  readonly isOfTarget?: true;
}

export interface FoundFiles {
  readonly files: readonly ConfigFile[];
  /** Directories without YAML files. */
  readonly unmatched: readonly string[];
  /** Directories, relative to the working directory. A file that is added to one of them is also read. */
  readonly open: readonly string[];
  readonly folder: string;
}

/**
 * Finds the files of `patterns`: files, directories (all `*.yaml` and `*.yml` below, except names that start with a
 * dot), and `-`. Without patterns, returns the result of findNearest. Throws `config-missing`.
 */
export async function findFiles(
  patterns: readonly string[],
  { cwd, readAt = readThere }: { readonly cwd: string; readonly readAt?: ReadAt | undefined },
): Promise<FoundFiles> {
  const named = patterns.length === 0 ? [await findDefault(cwd)] : patterns;
  const found: Expanded[] = [];
  for (const pattern of named) found.push(await expand(resolve(cwd), pattern, readAt));
  const files = new Map(found.flatMap((one) => one.files).map((file) => [file.path, file]));
  const folders = found.filter(({ isFolder }) => isFolder);
  return {
    files: [...files.values()],
    unmatched: folders.filter((one) => one.files.length === 0).map(({ folder }) => wayTo(folder, cwd)),
    open: folders.map(({ folder }) => wayTo(folder, cwd)),
    folder: found[0]?.folder ?? resolve(cwd),
  };
}

export function wayTo(path: string, cwd: string): string {
  return toPosix(relative(cwd, path)) || '.';
}

/** Returns the default of `-f` as a pattern relative to `cwd`. Throws `config-missing` with similar file names. */
export async function findDefault(cwd: string): Promise<string> {
  const found = await findNearest(cwd);
  if (found !== undefined) return found;
  const near = await filesOfLikeName(resolve(cwd));
  throw new WebsitesError('config-missing', `${DEFAULT_FILE} not found in this directory or a parent.`, {
    remedy:
      near.length === 0
        ? '"websites init" creates one. To use another file, pass -f.'
        : `Pass ${near.map((path) => `-f ${shellWord(path)}`).join(' or ')}.`,
  });
}

/** Returns the nearest `websites.yaml` in `cwd` or a parent, or `cwd`/websites if it contains YAML files. */
export async function findNearest(cwd: string): Promise<string | undefined> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const candidate = join(folder, DEFAULT_FILE);
    if ((await statusOf(candidate)) === 'file') return relative(cwd, candidate);
    if (dirname(folder) === folder) break;
  }
  const folder = join(resolve(cwd), DEFAULT_FOLDER);
  const hasFiles = (await statusOf(folder)) === 'folder' && (await yamlFiles(folder, readThere)).length > 0;
  return hasFiles ? DEFAULT_FOLDER : undefined;
}

/** Returns the file for new records if none is named. A new `websites.yaml` must not hide the directory `websites`. */
export async function findFileToAdd(cwd: string): Promise<string> {
  const found = (await findNearest(cwd)) ?? DEFAULT_FILE;
  return found === DEFAULT_FOLDER ? `${DEFAULT_FOLDER}/${DEFAULT_FILE}` : found;
}

/** Limits of the search for similar names: number of directories, and of names in the message. */
const [MAX_FOLDERS, MAX_NAMED] = [200, 3];

/** Returns similar names: `websites.yml` in `top`, and default names in directories below it, nearest first. */
async function filesOfLikeName(top: string): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [top];
  for (const [index, folder] of folders.entries()) {
    if (index === MAX_FOLDERS) break;
    for (const entry of await listFolder(folder).catch(() => [])) {
      const { name } = entry;
      if (/^websites?\.ya?ml$/i.test(name)) found.push(wayTo(join(folder, name), top));
      else if (entry.isDirectory() && name !== 'node_modules') folders.push(join(folder, name));
    }
  }
  return found.slice(0, MAX_NAMED);
}

type Expanded = Pick<FoundFiles, 'files' | 'folder'> & { readonly isFolder: boolean };

async function expand(cwd: string, pattern: string, readAt: ReadAt): Promise<Expanded> {
  if (isStream(pattern)) {
    const file = { path: pattern, absolute: join(cwd, basename(pattern)) };
    return { files: [file], folder: cwd, isFolder: false };
  }
  const path = resolve(cwd, pattern);
  const status = pattern.trim() === '' ? undefined : await statusOf(readAt(path));
  if (status === undefined) throw notThere(pattern);
  const isFolder = status === 'folder';
  const files = isFolder ? await yamlFiles(path, readAt) : [path];
  return {
    files: files.map((absolute) => ({ path: wayTo(absolute, cwd), absolute })),
    folder: isFolder ? path : dirname(path),
    isFolder,
  };
}

/** Returns the YAML files below a directory, sorted. Does not follow links to directories, which may form a cycle. */
async function yamlFiles(top: string, readAt: ReadAt): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = [top];
  for (const folder of folders) {
    for (const entry of await listFolder(readAt(folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!/\.ya?ml$/.test(path)) continue;
      else if (!entry.isSymbolicLink() || (await leadsToFile(path, top, readAt))) found.push(path);
    }
  }
  return found.sort();
}

/** A pull request may add a link. It must not make this tool read and quote files outside the directory. */
async function leadsToFile(link: string, top: string, readAt: ReadAt): Promise<boolean> {
  const real = realPath(readAt(link));
  const status = await statusOf(real);
  if (status !== undefined && isInside(real, followed([top], readAt))) return status === 'file';
  throw new WebsitesError(
    'config-missing',
    `${link} is a link that is broken, or leads out of its directory.`,
    { remedy: 'Pass the linked file itself with -f, or remove the link.' },
  );
}

function notThere(name: string): WebsitesError {
  return new WebsitesError('config-missing', `File not found: ${JSON.stringify(name)}.`, {
    remedy: /[*?]/.test(name)
      ? '-f does not expand * and ?. Pass a directory to read all YAML files in it, or repeat -f for each file.'
      : 'Check the names after -f. "websites init" creates a first file.',
  });
}

export interface YamlFiles {
  readonly files: { readonly path: string; readonly digest: string }[];
  readonly documents: FileDocument[];
  readonly problems: Problem[];
}

/** Reads files and adds their content to `read`, each file once. */
export async function readYamlFiles(
  files: readonly ConfigFile[],
  stdin: Stdin,
  sources: FileSources,
  read: YamlFiles,
): Promise<void> {
  const { readAt, contents } = sources;
  const known = new Set(read.documents.map(({ file }) => file.absolute));
  // Reads one file after the other, because a directory may contain more files than a process may open.
  for (const file of files) {
    const { path, absolute } = file;
    if (known.has(absolute)) continue;
    known.add(absolute);
    const bytes =
      contents?.get(absolute) ??
      (await (isStream(path)
        ? streamsOf(stdin)(path)
        : readRegularFile(readAt(absolute)).catch(throwUnreadable(path))));
    read.files.push({ path, digest: sha256(bytes) });
    const source = decodeSource(path, bytes);
    const { document, problems } =
      'text' in source
        ? await readYaml({ ...source, isForeign: leadsOut(file, sources) })
        : { document: undefined, problems: [source] };
    // A loop, because a function call cannot take all problems of a large file as arguments.
    for (const problem of problems) read.problems.push(problem);
    if (document !== undefined) read.documents.push({ file, document });
  }
}

/** A stream can be read only once, and the files are read again for each target. */
const streamsOf = memoize((stdin: Stdin) => memoize((path: string) => readNamedFile(path, path, stdin)));

function leadsOut({ path, absolute }: ConfigFile, { folder, allowPaths, readAt }: FileSources): boolean {
  const folders = [dirname(absolute), folder, ...allowPaths];
  return !isStream(path) && !isInside(realPath(readAt(absolute)), followed(folders, readAt));
}
