import { resolve } from 'node:path';
import { statusOf } from '../config/files/disk.ts';
import { findDefault, STDIN } from '../config/files/files.ts';
import { type Config, type ConfigOptions, loadConfig, loadTargetNames } from '../config/load.ts';
import { formatPlace, type Place, WebsitesError } from '../model/errors.ts';
import type { EarlierFiles } from '../model/website.ts';
import { canonicalJson } from '../planner/plan-file/write.ts';
import { type FilesThen, readRevision } from './revision.ts';

export interface Earlier {
  readonly files: EarlierFiles;
  readonly baseUrl: string | undefined;
  readonly rest: string;
}

export type EarlierOptions = Omit<ConfigOptions, 'readAt' | 'withoutRecords' | 'folder'>;

/** Throws `usage` for a file without revisions, `revision-missing`, and what load throws, as of the revision. */
export async function loadAtRevision(revision: string, options: EarlierOptions): Promise<Earlier> {
  const { patterns, cwd } = options;
  if (patterns.includes(STDIN)) {
    throw new WebsitesError('usage', '--since cannot be used with standard input.', {
      remedy: 'Pass files with -f.',
    });
  }
  const named = patterns.length === 0 ? [await findDefault(cwd)] : patterns;
  const paths = [...named, ...(options.allowPaths ?? [])].map((path) => resolve(cwd, path));
  return readRevision(revision, cwd, paths, async (files) => {
    const there = await patternsAt(files, named, cwd);
    return filesAt({ ...options, patterns: there, readAt: files.atOrNow }).catch((error: unknown) => {
      throw error instanceof WebsitesError ? errorAt(revision, error) : error;
    });
  });
}

async function patternsAt(
  files: FilesThen,
  patterns: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  const there: string[] = [];
  for (const pattern of patterns) {
    const path = files.at(resolve(cwd, pattern));
    if (path === undefined) {
      throw new WebsitesError(
        'usage',
        `${pattern} is outside of the repository, and --since compares files of the repository.`,
        { remedy: 'Pass files of the repository, or omit --since.' },
      );
    }
    if ((await statusOf(path)) !== undefined) there.push(pattern);
  }
  return there;
}

const NOTHING: Earlier = {
  files: { websites: [], ignore: [], protected: [], prune: false },
  baseUrl: undefined,
  rest: '',
};

async function filesAt({ target, ...options }: ConfigOptions): Promise<Earlier> {
  if (options.patterns.length === 0) return NOTHING;
  if (target !== undefined && !(await loadTargetNames(options)).includes(target)) return NOTHING;
  const config = await loadConfig({ ...options, target });
  const { desired, prune = false, pins } = config;
  return { files: { ...desired, prune }, baseUrl: pins.base_url, rest: restOf(config) };
}

export function restOf({ desired, prune, pins, targetNames, unmatched }: Config): string {
  const { websites: _, groups: __, ...rest } = desired;
  const target = pins.target && { name: pins.target.name, key: pins.target.keySource };
  return canonicalJson({ ...rest, prune, pins: { ...pins, target }, targetNames, unmatched });
}

/** The places are in former files: they are part of the message, not places in the current files. */
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
