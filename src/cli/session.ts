/** From flags to what is desired and what was asked for. */

import type { ServiceSettings } from '../config/keys.ts';
import { type Config, loadConfig } from '../config/load.ts';
import type { Approvals } from '../core/guards.ts';
import type { PlanOptions } from '../core/plan.ts';
import type { Desired } from '../core/website.ts';
import type { ConnectSettings } from '../sync/connect.ts';
import { readKey } from '../sync/key.ts';
import { type FlagValues, usageError } from './flags.ts';
import type { Io } from './io.ts';
import type { FILE_FLAGS, PLAN_FLAGS, SERVICE_FLAGS, SINCE_FLAGS } from './shared-flags.ts';

/** Loads the files that the flags name. Throws `config-missing` and `config-invalid`. */
export function load(flags: FlagValues<typeof FILE_FLAGS>, io: Io): Promise<Config> {
  return loadConfig({
    patterns: flags.file ?? [],
    cwd: io.cwd,
    env: io.env,
    stdin: io.stdin,
    allowPaths: flags['allow-path'] ?? [],
  });
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
    deletes_first: flags['deletes-first'] ?? false,
    resend_passwords: flags['resend-passwords'] ?? false,
    ...(since === undefined ? {} : { since }),
    ...(only === undefined ? {} : { only: only as 'config' | 'drift' }),
    ...(flags['fail-on-drift'] ? { fail_on_drift: true } : {}),
    allow: allowed(flags),
  };
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

/** What the files said at `--since`, if that was asked for. Throws `revision-missing` and what load throws. */
export async function loadEarlier(
  flags: FlagValues<typeof FILE_FLAGS> & Partial<FlagValues<typeof SINCE_FLAGS>>,
  io: Io,
): Promise<Desired | undefined> {
  if (flags.since === undefined) return undefined;
  if (flags.file?.includes('-'))
    throw usageError('--since cannot be used with standard input.', 'Name files with -f.');
  const { layOutRevision } = await import('../sync/revision.ts');
  const revision = await layOutRevision(flags.since, io.cwd);
  try {
    const { desired } = await load(flags, { ...io, cwd: revision.cwd });
    return desired;
  } finally {
    await revision.dispose();
  }
}

/** How to reach the service: flags over `pins`, which the files hold; `root` is the folder of the first file. */
export function connectSettings(
  flags: FlagValues<typeof SERVICE_FLAGS>,
  pins: ServiceSettings,
  root: string,
  io: Io,
): ConnectSettings {
  const base = flags['base-url'];
  return {
    pins: base === undefined ? pins : { ...pins, base_url: base },
    root,
    key: () => readKey(flags['api-key-file'], io),
    parallelism: flags.parallelism,
    timeoutMs: milliseconds(flags.timeout),
    requestTimeoutMs: milliseconds(flags['request-timeout']),
    env: io.env,
  };
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
