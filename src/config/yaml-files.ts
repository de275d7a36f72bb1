/** The YAML files of a configuration, read. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Problem } from '../core/problem.ts';
import { type FileSources, followed, isInside } from './allowed.ts';
import { sha256 } from './digest.ts';
import { realPath, unreadable } from './disk.ts';
import { readYaml } from './fast/fast.ts';
import { type ConfigFile, isStream, STDIN } from './files.ts';
import type { FileDocument } from './read.ts';
import { decodeSource } from './source.ts';

type Stdin = AsyncIterable<Uint8Array | string>;

/** YAML files that were read, and the documents of those that could be. */
export interface YamlFiles {
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  readonly documents: readonly FileDocument[];
  readonly problems: readonly Problem[];
}

/** Reads and parses `files`. Throws `file-failed` where one cannot be read. */
export async function readYamlFiles(
  files: readonly ConfigFile[],
  stdin: Stdin,
  sources: FileSources,
): Promise<YamlFiles> {
  const read: { file: ConfigFile; bytes: Uint8Array }[] = [];
  // One after the other: a folder may hold more files than a process may have open.
  for (const file of files) read.push({ file, bytes: await readBytes(file, stdin, sources) });
  const problems: Problem[] = [];
  const documents: FileDocument[] = [];
  for (const { file, bytes } of read) {
    const source = decodeSource(file.path, bytes);
    const { document, problems: found } =
      'text' in source ? await readYaml(source) : { document: undefined, problems: [source] };
    const isForeign = await leadsOut(file, sources);
    // One call has no room for all that can be wrong with a file.
    for (const problem of found) problems.push(isForeign ? withoutExcerpt(problem) : problem);
    if (document === undefined) continue;
    documents.push({ file, document: isForeign ? { ...document, hidden: () => 1 } : document });
  }
  const digests = read.map(({ file, bytes }) => ({ path: file.path, digest: sha256(bytes) }));
  return { files: digests, documents, problems };
}

async function readBytes(
  { path, absolute }: ConfigFile,
  stdin: Stdin,
  { readAt }: FileSources,
): Promise<Uint8Array> {
  if (!isStream(path)) return readFile(readAt(absolute)).catch(unreadable(path));
  const before = readBefore.get(stdin) ?? new Map<string, Promise<Uint8Array>>();
  readBefore.set(stdin, before);
  const bytes = before.get(path) ?? (path === STDIN ? buffer(stdin) : readFile(path).catch(unreadable(path)));
  before.set(path, bytes);
  return bytes;
}

/** A stream can be read once, and the files are read for each target: what each was, beside standard input. */
const readBefore = new WeakMap<Stdin, Map<string, Promise<Uint8Array>>>();

/** A link that a pull request adds may lead to any file of the machine: no line of it is to be quoted. */
async function leadsOut({ path, absolute }: ConfigFile, sources: FileSources): Promise<boolean> {
  if (isStream(path)) return false;
  const { folder, allowPaths, readAt } = sources;
  const folders = await followed([dirname(absolute), folder, ...allowPaths], readAt);
  return !isInside(realPath(readAt(absolute)), folders);
}

function withoutExcerpt({ excerpt: _, ...problem }: Problem): Problem {
  return problem;
}
