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

export async function readYamlFiles(files: readonly ConfigFile[], stdin: Stdin, sources: FileSources) {
  const digests: { path: string; digest: string }[] = [];
  const problems: Problem[] = [];
  const documents: FileDocument[] = [];
  /** Paths of files that a link leads out to: they may be any file of the machine, so nothing in them is quoted. */
  const foreign: string[] = [];
  // Sequential: a directory may hold more files than a process may have open.
  for (const file of files) {
    const bytes = await readBytes(file, stdin, sources);
    digests.push({ path: file.path, digest: sha256(bytes) });
    const source = decodeSource(file.path, bytes);
    const { document, problems: found } =
      'text' in source ? await readYaml(source) : { document: undefined, problems: [source] };
    if (await leadsOut(file, sources)) foreign.push(file.path);
    // A spread call has no room for all problems of a large file.
    for (const problem of found) problems.push(problem);
    if (document !== undefined) documents.push({ file, document });
  }
  return { files: digests, documents, problems, foreign };
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

/** A stream can be read only once, and the files are read for each target: keeps the bytes by name. */
const readBefore = new WeakMap<Stdin, Map<string, Promise<Uint8Array>>>();

async function leadsOut({ path, absolute }: ConfigFile, sources: FileSources): Promise<boolean> {
  if (isStream(path)) return false;
  const { folder, allowPaths, readAt } = sources;
  const folders = await followed([dirname(absolute), folder, ...allowPaths], readAt);
  return !isInside(realPath(readAt(absolute)), folders);
}
