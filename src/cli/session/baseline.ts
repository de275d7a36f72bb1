/** What the files said at an earlier revision. */
import { dirname, resolve } from 'node:path';
import { statusOf } from '../../config/files/disk.ts';
import { findDefault, STDIN } from '../../config/files/files.ts';
import { isGlob } from '../../config/files/glob.ts';
import { type LoadOptions, loadConfig, loadTargets } from '../../config/load.ts';
import { formatPlace, type Place, WebsitesError } from '../../model/errors.ts';
import type { EarlierFiles } from '../../model/website.ts';
import type { Revision } from '../../sync/revision.ts';
import { type FlagValues, usageError } from '../argv/flags.ts';
import type { COMPARE_FLAGS } from '../argv/shared-flags.ts';
import type { Io } from '../io/io.ts';
import { loadOptions } from './settings.ts';

/**
 * What the files that are named now said at `--since`, if that was asked for. Throws `revision-missing`, and what
 * load throws, told as of the revision.
 */
export async function loadEarlier(
  flags: FlagValues<typeof COMPARE_FLAGS>,
  io: Io,
): Promise<EarlierFiles | undefined> {
  const { since, target } = flags;
  if (since === undefined) return undefined;
  const options = loadOptions(flags, io);
  if (options.patterns.includes(STDIN))
    throw usageError('--since cannot be used with standard input.', 'Name files with -f.');
  const named = options.patterns.length === 0 ? [await findDefault(io.cwd)] : options.patterns;
  const { layOutRevision } = await import('../../sync/revision.ts');
  const revision = await layOutRevision(since, io.cwd);
  try {
    const readAt = (path: string): string => revision.at(path) ?? path;
    const files = await revision.read(async () => {
      const patterns = await patternsAt(revision, named, io.cwd);
      return filesAt({ ...options, patterns, readAt, target }).catch((error: unknown) => {
        throw error instanceof WebsitesError ? errorAt(since, error) : error;
      });
    });
    return { ...files, prune: flags.prune ?? files.prune };
  } finally {
    await revision.dispose();
  }
}

/** Those of `patterns` that led somewhere at the revision. Throws `usage` where one has no revision. */
async function patternsAt(
  revision: Revision,
  patterns: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const there: string[] = [];
  for (const pattern of patterns) {
    const path = revision.at(resolve(cwd, pattern));
    // It is looked at once more with the file in it.
    revision.at(dirname(resolve(cwd, pattern)));
    if (path === undefined) {
      throw usageError(
        `${pattern} is outside of the repository, and --since compares files of the repository.`,
        'Pass files of the repository, or omit --since.',
      );
    }
    if (isGlob(pattern) || (await statusOf(path)) !== undefined) there.push(pattern);
  }
  return there;
}

const NOTHING: EarlierFiles = { websites: [], ignore: [], protected: [], prune: false };

/** Files, and a target, that are new since then declared nothing. */
async function filesAt({ target, ...options }: LoadOptions): Promise<EarlierFiles> {
  if (options.patterns.length === 0) return NOTHING;
  const isNew =
    target !== undefined && !(await loadTargets(options)).targets.some(({ name }) => name === target);
  if (isNew) return NOTHING;
  const { desired, prune = false } = await loadConfig({ ...options, target });
  return { ...desired, prune };
}

/** The places are in files of then: they are told, and are no places in the files of now. */
function errorAt(revision: string, { code, message, problems }: WebsitesError): WebsitesError {
  const at = (place: Place | undefined): string => (place === undefined ? '' : `${formatPlace(place)}: `);
  return new WebsitesError(code, `At ${revision}: ${message}`, {
    remedy: 'Choose another revision, or omit --since.',
    problems: problems.map(({ severity, message, place }) => ({
      severity,
      message: `At ${revision}: ${at(place)}${message}`,
    })),
  });
}
