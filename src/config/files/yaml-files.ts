import { dirname } from 'node:path';
import type { Problem } from '../../model/errors.ts';
import { readRegularFile } from '../../util/node/read-file.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { decodeSource } from '../read/source.ts';
import type { FileDocument } from '../read/spot.ts';
import { readYaml } from '../yaml/fast/read.ts';
import { type FileSources, followed, isInside } from './allowed-paths.ts';
import { realPath, unreadable } from './disk.ts';
import { type ConfigFile, isStream, readNamedFile, type Stdin } from './files.ts';

export interface YamlFiles {
  readonly files: { readonly path: string; readonly digest: string }[];
  readonly documents: FileDocument[];
  readonly problems: Problem[];
  /** Files that a link outside of the directory leads to. They may be any file, so nothing in them is quoted. */
  readonly foreign: string[];
}

/** Reads files and adds their content to `read`, each file once. */
export async function readYamlFiles(
  files: readonly ConfigFile[],
  stdin: Stdin,
  sources: FileSources,
  read: YamlFiles,
): Promise<void> {
  // Reads one file after the other, because a directory may contain more files than a process may open.
  const known = new Set(read.documents.map(({ file }) => file.absolute));
  for (const file of files) {
    if (known.has(file.absolute)) continue;
    known.add(file.absolute);
    const bytes = await readBytes(file, stdin, sources);
    read.files.push({ path: file.path, digest: sha256(bytes) });
    const source = decodeSource(file.path, bytes);
    const { document, problems } =
      'text' in source ? await readYaml(source) : { document: undefined, problems: [source] };
    if (leadsOut(file, sources)) read.foreign.push(file.path);
    // A loop, because a function call cannot take all problems of a large file as arguments.
    for (const problem of problems) read.problems.push(problem);
    if (document !== undefined) read.documents.push({ file, document });
  }
}

async function readBytes(
  { path, absolute }: ConfigFile,
  stdin: Stdin,
  { readAt, contents }: FileSources,
): Promise<Uint8Array> {
  const given = contents?.get(absolute);
  if (given !== undefined) return given;
  if (!isStream(path)) return readRegularFile(readAt(absolute)).catch(unreadable(path));
  const before = readBefore.get(stdin) ?? new Map<string, Promise<Uint8Array>>();
  readBefore.set(stdin, before);
  const bytes = before.get(path) ?? readNamedFile(path, path, stdin);
  before.set(path, bytes);
  return bytes;
}

/** Bytes of streams by name. A stream can be read only once, and the files are read again for each target. */
const readBefore = new WeakMap<Stdin, Map<string, Promise<Uint8Array>>>();

function leadsOut({ path, absolute }: ConfigFile, { folder, allowPaths, readAt }: FileSources): boolean {
  const folders = [dirname(absolute), folder, ...allowPaths];
  return !isStream(path) && !isInside(realPath(readAt(absolute)), followed(folders, readAt));
}
