/** From flags to the settings of loading, planning and connecting; flags that do not fit are refused. */
import { resolve } from 'node:path';
import { type Config, type LoadOptions, loadConfig } from '../../config/load.ts';
import { type ChosenPins, rootIn, variableFor } from '../../config/read/targets.ts';
import type { Approvals } from '../../model/guard.ts';
import type { PlanOptions } from '../../model/plan.ts';
import type { Host } from '../../sync/connect.ts';
import { type ConnectSettings, connectSettings } from '../../sync/connect.ts';
import { readKey } from '../../sync/key.ts';
import { planOptions } from '../../sync/plan-options.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';
import { type Flags, variableOf } from '../options.ts';

/** Where the files are, and what reading them takes. */
export type FileFlags = Pick<Flags<'runs'>, 'file' | 'target' | 'allow-path' | 'state-folder'>;

/** How the service is reached. */
export type ServiceFlags = Pick<
  Flags<'doctor'>,
  'base-url' | 'api-key-file' | 'parallelism' | 'timeout' | 'request-timeout' | 'max-wait'
>;

/** Those of commands that compare the files with the service. */
export type PlanningFlags = Omit<
  Flags<'drift'>,
  'format' | 'fail-on-orphans' | 'report' | 'verbose' | 'quiet'
>;

/** What surrounds a command, or a program. */
export type Surroundings = Host & Pick<Io, 'err' | 'where' | 'progress'>;

/** Loads the files that the flags name. Throws `config-missing` and `config-invalid`. */
export async function load(flags: FileFlags, io: Host, withoutRecords = false): Promise<Config> {
  const config = await loadConfig({
    ...loadOptions(flags, io),
    target: flags.target,
    withoutRecords,
  });
  return { ...config, root: rootOf(flags, config, io) };
}

/** What reading the files takes, but for a target. */
export function loadOptions(
  flags: Pick<FileFlags, 'file' | 'allow-path'>,
  { cwd, env, stdin }: Host,
): Omit<LoadOptions, 'target'> {
  return {
    patterns: flags.file ?? [],
    cwd,
    env,
    stdin,
    allowPaths: flags['allow-path'],
  };
}

/** The folder that state lies in: the one that was named, or else `root`. A target has a folder of its own in it. */
export function rootOf(
  flags: Pick<FileFlags, 'state-folder'>,
  { root, pins }: Pick<Config, 'root' | 'pins'>,
  { cwd }: Pick<Host, 'cwd'>,
): string {
  const folder = flags['state-folder'];
  return folder === undefined ? root : rootIn(resolve(cwd, folder), pins.target?.name);
}

/** What was asked for: flags over the file. Throws `usage`. */
export function planOptionsOf(flags: PlanningFlags, config: Config): PlanOptions {
  checkSince(flags);
  refuseTargetNames(flags.domain, config);
  const { 'resend-passwords': resend_passwords } = flags;
  const { prune, domain, exclude, group, since, only, 'fail-on-drift': fail_on_drift } = flags;
  const domains = { prune, domain, exclude, group, since, only, fail_on_drift };
  return planOptions({ ...domains, resend_passwords, allow: allowed(flags) }, config);
}

/** Throws `usage` where a pattern of domains is the name of a target. */
export function refuseTargetNames(
  patterns: readonly string[] | undefined,
  { targetNames }: Pick<Config, 'targetNames'>,
): void {
  const target = patterns?.find((pattern) => targetNames.includes(pattern));
  if (target === undefined) return;
  throw usageError(`"${target}" is a target, not a domain.`, `Pass --target ${target} to choose the target.`);
}

/** Throws `usage` where what needs `--since` is given without it. */
function checkSince({
  since,
  only,
  'fail-on-drift': failOnDrift,
}: Pick<Flags<'drift'>, 'since' | 'only' | 'fail-on-drift'>): void {
  if (since === undefined && (only !== undefined || failOnDrift)) {
    throw usageError(
      '--only and --fail-on-drift need --since.',
      'Pass the revision that was applied last: --since REV.',
    );
  }
}

/** Throws `usage` where `--target` is given and is not that of the plan. */
export function checkTarget(flag: string | undefined, target: string | undefined): void {
  if (flag === undefined || flag === target) return;
  const own = target === undefined ? 'no target' : `the target ${target}`;
  throw usageError(`The plan was made for ${own}, and not for ${flag}.`, 'Omit the flag.');
}

/** What the flags say yes to. */
export function allowed(
  flags: Partial<Pick<Flags<'plan'>, 'allow-empty' | 'allow-deletes' | 'allow-updates'>>,
): Approvals {
  return {
    empty: flags['allow-empty'] ?? false,
    ...(flags['allow-deletes'] === undefined ? {} : { deletes: flags['allow-deletes'] }),
    ...(flags['allow-updates'] === undefined ? {} : { updates: flags['allow-updates'] }),
  };
}

/** What names one service and one key says nothing of a target, and must not send the key of another to it. */
function refuseForTarget(flags: ServiceFlags, { base_url }: ChosenPins, target: string): void {
  const isOther = flags['base-url'] !== undefined && flags['base-url'] !== base_url;
  const flag = isOther ? 'base-url' : flags['api-key-file'] === undefined ? undefined : 'api-key-file';
  if (flag === undefined) return;
  const own = [variableFor('WEBSITES_BASE_URL', target), variableFor('WEBSITES_API_KEY', target)];
  throw usageError(
    `--${flag} (${variableOf(flag)}) cannot be combined with targets.`,
    `Set ${own.join(' and ')}, or configure them in the file.`,
  );
}

/** How to reach the service: flags over what the files pin. */
export function serviceSettings(
  flags: ServiceFlags,
  files: Pick<Config, 'pins' | 'root'>,
  io: Surroundings,
): ConnectSettings {
  const { target } = files.pins;
  if (target !== undefined) refuseForTarget(flags, files.pins, target.name);
  return connectSettings(files, flags['base-url'], {
    key: (tell) => readKey(flags['api-key-file'], io, target, tell),
    parallelism: flags.parallelism,
    timeoutMs: milliseconds(flags.timeout),
    requestTimeoutMs: milliseconds(flags['request-timeout']),
    maxWaitMs: milliseconds(flags['max-wait']),
    where: io.where,
    env: io.env,
    tell: io.err,
    ...io.progress?.watch,
  });
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
