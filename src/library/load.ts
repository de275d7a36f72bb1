/** Loading files, for a program. */
import { resolve } from 'node:path';
import { isStream } from '../config/files/files.ts';
import { loadConfig } from '../config/load.ts';
import { noFile } from '../config/read/problems.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Host } from '../sync/connect.ts';
import { check, environment, object, text, texts } from './checked.ts';
import type { Configuration } from './configuration.ts';
import { remember } from './source.ts';

export interface LoadOptions {
  /** YAML files or folders; without any, the nearest `websites.yaml` from `cwd` upward. */
  readonly files?: readonly string[] | undefined;
  /** What relative paths count from; the working folder of the process if not given. */
  readonly cwd?: string | undefined;
  /** What `${NAME}` and `{ env: NAME }` stand for; the environment of the process if not given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Which target is meant, where the files declare targets. */
  readonly target?: string | undefined;
  /** Folders outside that of the first file that `{ file: … }` and `{ from: … }` may read from. */
  readonly allowPaths?: readonly string[] | undefined;
}

const SCHEMA = object<LoadOptions>({
  files: texts,
  cwd: text,
  env: environment,
  target: text,
  allowPaths: texts,
});

const CHOOSE = 'Set options.target to its name.';

/**
 * Reads and checks files. Throws a WebsitesError: `config-missing` where one is not there, `file-failed` where it cannot
 * be read, `config-invalid` with every problem of every file in `problems`, `usage` for an option that is none, or where the
 * files declare targets and none of them is named.
 */
export async function load(options: LoadOptions = {}): Promise<Configuration> {
  check('options', SCHEMA, options);
  const { files = [], cwd = process.cwd(), env = process.env, allowPaths, target } = options;
  // Whoever gives a relative one may be elsewhere when it plans and applies.
  const host: Host = { cwd: resolve(cwd), env, stdin: process.stdin };
  const config = await loadConfig({ ...host, patterns: files, allowPaths, target }).catch(
    (error: unknown) => {
      const isNoneChosen = target === undefined && error instanceof WebsitesError && error.code === 'usage';
      throw isNoneChosen ? new WebsitesError('usage', error.message, { remedy: CHOOSE }) : error;
    },
  );
  const { desired, files: read, root } = config;
  const warnings = [...config.warnings, ...config.unmatched.map(noFile)];
  const configuration = frozen({ websites: desired.websites, files: read, root, warnings });
  // Without any, it is the one that was found.
  const named = files.length === 0 ? read.slice(0, 1).map(({ path }) => path) : files;
  const absolute = (path: string): string => (isStream(path) ? path : resolve(host.cwd, path));
  remember(configuration, {
    config,
    host,
    named: { file: named.map(absolute), 'allow-path': (allowPaths ?? []).map(absolute) },
  });
  return configuration;
}

/** Plans are made of the very same lists, and know the place of each website in them. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
