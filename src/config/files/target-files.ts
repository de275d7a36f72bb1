/** The files that a target has for itself. */
import { dirname, resolve } from 'node:path';
import type { Problem } from '../../model/errors.ts';
import { type Finding, problemAt } from '../read/source.ts';
import { filesOf } from '../read/targets.ts';
import type { FileDocument } from '../read/validate.ts';
import { type FileSources, isInside, MISSING, OUTSIDE, whyRefused } from './allowed-paths.ts';
import { type ConfigFile, type FoundFiles, findFiles, wayTo } from './files.ts';

export interface TargetFiles extends Omit<FoundFiles, 'folder'> {
  readonly problems: readonly Problem[];
}

/**
 * Finds what `documents` name as the files of `target`, paths counting from the file that holds them. They must
 * lie in the folder of the first file, or in what `WEBSITES_ALLOW_PATH` names, links followed.
 * `cwd` is the folder that shown paths, and those of `open`, count from.
 */
export async function findTargetFiles(
  documents: readonly FileDocument[],
  target: string,
  sources: FileSources,
  cwd: string,
): Promise<TargetFiles> {
  const files = new Map<string, ConfigFile>();
  const unmatched: string[] = [];
  const open: string[] = [];
  const problems: Problem[] = [];
  for (const { file, document } of documents) {
    for (const [index, pattern] of filesOf(document.value, target).entries()) {
      const folder = dirname(file.absolute);
      const found = await find(pattern, folder, sources);
      if ('message' in found) {
        const range = document.locate(['targets', target, 'files', index]);
        problems.push(problemAt(document.source, range, found, document.hidden));
        continue;
      }
      if (found.files.length === 0) unmatched.push(pattern);
      open.push(...found.open.map((one) => wayTo(resolve(folder, one), cwd)));
      for (const { absolute } of found.files) {
        files.set(absolute, { path: wayTo(absolute, cwd), absolute, isOfTarget: true });
      }
    }
  }
  for (const { file } of documents) files.delete(file.absolute);
  return { files: [...files.values()], unmatched, open, problems };
}

async function find(pattern: string, folder: string, sources: FileSources): Promise<FoundFiles | Finding> {
  // Before anything is looked for: nothing is to be learned of what lies outside.
  if (!isInside(resolve(folder, pattern), [sources.folder, ...sources.allowPaths])) return OUTSIDE;
  try {
    const found = await findFiles([pattern], { cwd: folder, readAt: sources.readAt });
    for (const { absolute } of found.files) {
      const refused = await whyRefused(absolute, sources);
      if (refused !== undefined) return refused;
    }
    return found;
  } catch (error) {
    // Of this program or of the file system: both have one.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return MISSING;
  }
}
