import type { Config } from '../config/load.ts';
import { type ChosenPins, variableFor } from '../config/read/targets.ts';
import type { Approvals, PlanOptions } from '../model/plan.ts';
import { factText } from '../report/facts.ts';
import { PLAN_FORMATS } from '../report/formats.ts';
import type { ConnectSettings, Host } from '../sync/connect.ts';
import type { Planning } from '../sync/plan.ts';
import { usageError } from './argv/flags.ts';
import { load, loadOptions, refuseTargetNames } from './files.ts';
import { checkOutputs } from './io/documents.ts';
import type { Io } from './io/io.ts';
import { showWarnings } from './io/output.ts';
import { readKey } from './key.ts';
import { type AnyFlags, variableOf } from './options.ts';

export type SettingsIo = Host & Pick<Io, 'err' | 'nextFlags' | 'progress'>;

export async function prepare(flags: AnyFlags, io: Io, formats: object = PLAN_FORMATS) {
  const config = await load(flags, io);
  await checkOutputs(flags, config.files, formats, io);
  // A guard of the plan reports patterns without files. Without a service there is no plan, so warnings report them.
  const isNamed = (flags.baseUrl ?? config.pins.base_url) !== undefined;
  showWarnings(isNamed ? config.warnings : config.notes, io);
  const planning = await planningOf(config, flags, io);
  return { planning, settings: serviceSettings(config, flags, io) };
}

/** The value that CI systems set instead of a commit for the first push of a branch, or for a manual run. */
const NO_COMMIT = /^(?:0{40}|0{64})$/;

export async function planningOf(config: Config, flags: AnyFlags, io: SettingsIo): Promise<Planning> {
  const { prune, since, baseUrl } = flags;
  if (since !== undefined && NO_COMMIT.test(since)) {
    io.err(`Warning: --since ${since} is not a commit, so no change is labeled.\n`);
    return planningOf(config, { ...flags, since: undefined }, io);
  }
  const planning = { config, rules: planOptions(flags, config), maxAgeMs: milliseconds(flags.maxAge) };
  if (since === undefined) return planning;
  const { compareSince } = await import('../sync/since.ts');
  const compared = { config, options: loadOptions(flags, io), baseUrl, prune };
  return { ...planning, ...(await compareSince(since, compared)) };
}

export function planOptions(
  flags: AnyFlags,
  { prune, pins, targetNames }: Pick<Config, 'prune' | 'pins' | 'targetNames'>,
): PlanOptions {
  const { domain = [], exclude = [], group, since, only, failOnDrift } = flags;
  if (since === undefined && (only !== undefined || failOnDrift)) {
    throw usageError(
      '--only and --fail-on-drift need --since with a commit.',
      'Pass the revision that was applied last: --since REV.',
    );
  }
  refuseTargetNames(domain, targetNames);
  return {
    prune: flags.prune ?? prune ?? false,
    www: pins.www,
    update: pins.update ?? 'auto',
    domain: [...domain],
    exclude: [...exclude],
    group: group?.length ? [...group] : undefined,
    resend_passwords: flags.resendPasswords ?? false,
    since,
    only,
    fail_on_drift: failOnDrift || undefined,
    allow: allowed(flags),
  };
}

export function allowed(flags: AnyFlags): Approvals {
  const { allowEmpty = false, allowDeletes, allowUpdates } = flags;
  return { empty: allowEmpty, deletes: allowDeletes, updates: allowUpdates };
}

/**
 * Throws `usage` if a global service or key is combined with a target, because the key of another service could be
 * sent to the target.
 */
function refuseForTarget(flags: AnyFlags, { base_url }: ChosenPins, target: string): void {
  const isOther = flags.baseUrl !== undefined && flags.baseUrl !== base_url;
  const flag = isOther ? 'base-url' : flags.apiKeyFile === undefined ? undefined : 'api-key-file';
  if (flag === undefined) return;
  const own = [variableFor('WEBSITES_BASE_URL', target), variableFor('WEBSITES_API_KEY', target)];
  throw usageError(
    `--${flag} (${variableOf(flag)}) cannot be combined with targets.`,
    `Set ${own.join(' and ')}, or configure them in the file.`,
  );
}

export function serviceSettings(
  { pins, root }: Pick<Config, 'pins' | 'root'>,
  flags: AnyFlags,
  io: SettingsIo,
): ConnectSettings {
  const { target } = pins;
  if (target !== undefined) refuseForTarget(flags, pins, target.name);
  const base = flags.baseUrl;
  return {
    root,
    pins: base === undefined ? pins : { ...pins, base_url: base },
    key: () => readKey(flags, io, target),
    parallelism: flags.parallelism,
    timeoutMs: milliseconds(flags.timeout),
    requestTimeoutMs: milliseconds(flags.requestTimeout),
    maxWaitMs: milliseconds(flags.maxWait),
    nextFlags: io.nextFlags,
    env: io.env,
    log: io.err,
    factText,
    ...io.progress?.watch,
  };
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

export function runSettings({ canary, maxFailures, skipStale }: AnyFlags) {
  return { canary, maxFailures, skipStale };
}
