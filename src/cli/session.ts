/** From flags to what is desired and what was asked for. */
import { resolve } from 'node:path';
import { statusOf } from '../config/disk.ts';
import { findDefault, STDIN } from '../config/files.ts';
import { isGlob } from '../config/glob.ts';
import type { ServiceSettings } from '../config/keys.ts';
import { type Config, type LoadOptions, loadConfig, loadTargets } from '../config/load.ts';
import { WebsitesError } from '../core/errors.ts';
import type { Approvals } from '../core/guards.ts';
import type { PlanOptions } from '../core/plan.ts';
import { formatPlace, type Place } from '../core/problem.ts';
import { isSameShard, type Shard, shardFlag } from '../core/shard.ts';
import type { EarlierFiles } from '../core/website.ts';
import type { ConnectSettings } from '../sync/connect.ts';
import { readKey } from '../sync/key.ts';
import type { Revision } from '../sync/revision.ts';
import { type FlagValues, usageError, variableOf } from './flags.ts';
import type { Io } from './io.ts';
import type { FILE_FLAGS, PLAN_FLAGS, SERVICE_FLAGS, SINCE_FLAGS } from './shared-flags.ts';

/** Loads the files that the flags name. Throws `config-missing` and `config-invalid`. */
export async function load(flags: FlagValues<typeof FILE_FLAGS>, io: Io): Promise<Config> {
  const config = await loadConfig({ ...loadOptions(flags, io), target: flags['target-name'] });
  return { ...config, root: rootOf(flags, config, io) };
}

/** What reading the files takes, but for a target. */
export function loadOptions(
  flags: Pick<FlagValues<typeof FILE_FLAGS>, 'file' | 'allow-path'>,
  io: Pick<Io, 'cwd' | 'env' | 'stdin'>,
): Omit<LoadOptions, 'target'> {
  return {
    patterns: flags.file ?? [],
    cwd: io.cwd,
    env: io.env,
    stdin: io.stdin,
    allowPaths: flags['allow-path'] ?? [],
  };
}

/** The folder that state lies in: the one that was named, or else `root`. A target has a folder of its own in it. */
export function rootOf(
  flags: Pick<FlagValues<typeof FILE_FLAGS>, 'state-folder'>,
  { root, service }: Pick<Config, 'root' | 'service'>,
  io: Pick<Io, 'cwd'>,
): string {
  const named = flags['state-folder'];
  if (named === undefined) return root;
  return resolve(io.cwd, named, ...(service.target ? ['targets', service.target.name] : []));
}

/** What was asked for: flags over the file. Throws `usage`. */
export function planOptions(
  flags: FlagValues<typeof PLAN_FLAGS> & Partial<FlagValues<typeof SINCE_FLAGS>>,
  config: Config,
): PlanOptions {
  const { since, only } = flags;
  if (since === undefined && (only !== undefined || flags['fail-on-drift'])) {
    throw usageError(
      '--only and --fail-on-drift need --since.',
      'Name the revision that was applied last: --since REV.',
    );
  }
  return {
    prune: flags.prune ?? config.prune ?? false,
    ...(config.service.www === undefined ? {} : { www: config.service.www }),
    update: config.service.update ?? 'full',
    target: flags.target ?? [],
    exclude: flags.exclude ?? [],
    ...(flags.shard === undefined ? {} : { shard: flags.shard }),
    deletes_first: flags['deletes-first'] ?? false,
    resend_passwords: flags['resend-passwords'] ?? false,
    ...(since === undefined ? {} : { since }),
    ...(only === undefined ? {} : { only: only as 'config' | 'drift' }),
    ...(flags['fail-on-drift'] ? { fail_on_drift: true } : {}),
    allow: allowed(flags),
  };
}

/** Throws `usage` where `--shard` is given and names another part than `shard`, which is that of `what`. */
export function checkShard(flag: Shard | undefined, shard: Shard | undefined, what: string): void {
  if (flag === undefined || isSameShard(flag, shard)) return;
  const own = shard === undefined ? 'was made without --shard' : `was made with${shardFlag(shard)}`;
  throw usageError(`${what} ${own}, and not with${shardFlag(flag)}.`, 'Leave the flag out.');
}

/** Throws `usage` where `--target-name` is given and is not that of the plan. */
export function checkTarget(flag: string | undefined, target: string | undefined): void {
  if (flag === undefined || flag === target) return;
  const own = target === undefined ? 'no target' : `the target ${target}`;
  throw usageError(`The plan was made for ${own}, and not for ${flag}.`, 'Leave the flag out.');
}

/** What the flags say yes to. */
export function allowed(
  flags: Partial<Pick<FlagValues<typeof PLAN_FLAGS>, 'allow-empty' | 'allow-deletes' | 'allow-updates'>>,
): Approvals {
  return {
    empty: flags['allow-empty'] ?? false,
    ...(flags['allow-deletes'] === undefined ? {} : { deletes: flags['allow-deletes'] }),
    ...(flags['allow-updates'] === undefined ? {} : { updates: flags['allow-updates'] }),
  };
}

/**
 * What the files that are named now said at `--since`, if that was asked for. Throws `revision-missing`, and what
 * load throws, told as of the revision.
 */
export async function loadEarlier(
  flags: FlagValues<typeof FILE_FLAGS> &
    Partial<FlagValues<typeof SINCE_FLAGS>> &
    Partial<Pick<FlagValues<typeof PLAN_FLAGS>, 'prune'>>,
  io: Io,
): Promise<EarlierFiles | undefined> {
  const { since, 'target-name': target } = flags;
  if (since === undefined) return undefined;
  const options = loadOptions(flags, io);
  if (options.patterns.includes(STDIN))
    throw usageError('--since cannot be used with standard input.', 'Name files with -f.');
  const named = options.patterns.length === 0 ? [await findDefault(io.cwd)] : options.patterns;
  const { layOutRevision } = await import('../sync/revision.ts');
  const revision = await layOutRevision(since, io.cwd);
  try {
    const patterns = await patternsAt(revision, named, io.cwd);
    const readAt = (path: string): string => revision.at(path) ?? path;
    const files = await filesAt({ ...options, patterns, readAt, target }).catch((error: unknown) => {
      throw error instanceof WebsitesError ? errorAt(since, error) : error;
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
    if (path === undefined) {
      throw usageError(
        `${pattern} is outside of the repository, and --since compares files of the repository.`,
        'Name files of the repository, or leave --since out.',
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
  const isNew = target !== undefined && !(await loadTargets(options)).some(({ name }) => name === target);
  if (isNew) return NOTHING;
  const { desired, prune = false } = await loadConfig({ ...options, target });
  return { ...desired, prune };
}

/** The places are in files of then: they are told, and are no places in the files of now. */
function errorAt(revision: string, { code, message, problems }: WebsitesError): WebsitesError {
  const at = (place: Place | undefined): string => (place === undefined ? '' : `${formatPlace(place)}: `);
  return new WebsitesError(code, `At ${revision}: ${message}`, {
    remedy: 'Name another revision with --since, or leave it out.',
    problems: problems.map(({ severity, message, place }) => ({
      severity,
      message: `At ${revision}: ${at(place)}${message}`,
    })),
  });
}

/** What names one service and one key says nothing of a target, and must not send the key of another to it. */
function refuseForTarget(
  flags: FlagValues<typeof SERVICE_FLAGS>,
  { base_url }: ServiceSettings,
  target: string,
): void {
  const isOther = flags['base-url'] !== undefined && flags['base-url'] !== base_url;
  const flag = isOther ? 'base-url' : flags['api-key-file'] === undefined ? undefined : 'api-key-file';
  if (flag === undefined) return;
  const own = target.replaceAll('-', '_').toUpperCase();
  throw usageError(
    `--${flag} (${variableOf(flag)}) is not for a target.`,
    `Set WEBSITES_BASE_URL_${own} and WEBSITES_API_KEY_${own}, or say it in the file.`,
  );
}

/** How to reach the service: flags over `pins`, which the files hold; `root` is the folder of the first file. */
export function connectSettings(
  flags: FlagValues<typeof SERVICE_FLAGS>,
  pins: ServiceSettings,
  root: string,
  io: Io,
): ConnectSettings {
  const base = flags['base-url'];
  if (pins.target !== undefined) refuseForTarget(flags, pins, pins.target.name);
  return {
    pins: base === undefined ? pins : { ...pins, base_url: base },
    root,
    key: () => readKey(flags['api-key-file'], io, pins.target),
    parallelism: flags.parallelism,
    timeoutMs: milliseconds(flags.timeout),
    requestTimeoutMs: milliseconds(flags['request-timeout']),
    env: io.env,
    ...io.progress?.watch,
  };
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
