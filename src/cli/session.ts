/** The way of the data, put together: files → desired, service → current, both → plan. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readCurrent } from '../api/current.ts';
import { type Config, loadConfig } from '../config/load.ts';
import { type FieldName, READABLE_NAMES } from '../core/fields.ts';
import type { Approvals } from '../core/guards.ts';
import { makePlan, type Plan, type PlanContext, type PlanOptions, selection } from '../core/plan.ts';
import { desiredOfPlan, proofOptions } from '../core/plan-desired.ts';
import type { Desired } from '../core/website.ts';
import { systemClock } from './clock.ts';
import { type Connection, stateFolder } from './connect.ts';
import { type FlagValues, usageError } from './flags.ts';
import type { Io } from './io.ts';
import { changedPasswords } from './passwords.ts';
import type { FILE_FLAGS, PLAN_FLAGS, SINCE_FLAGS } from './shared-flags.ts';

/** How long a plan may be applied. */
const MAX_AGE_MS = 24 * 3600 * 1000;

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

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
  const { layOutRevision } = await import('./revision.ts');
  const revision = await layOutRevision(flags.since, io.cwd);
  try {
    const { desired } = await load(flags, { ...io, cwd: revision.cwd });
    return desired;
  } finally {
    await revision.dispose();
  }
}

/** What plans of this connection are bound to, now. */
export function contextOf(
  connection: Connection,
  config: PlanContext['config'],
  maxAge?: number,
): PlanContext {
  const { requestsPerSecond } = connection.limiter();
  return {
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    service: { base_url: connection.identity, key_fingerprint: connection.keyFingerprint },
    config,
    unmatched: [],
    now: systemClock.now(),
    maxAgeMs: maxAge === undefined ? MAX_AGE_MS : maxAge * 1000,
  };
}

export interface PlanExtras {
  readonly earlier?: Desired | undefined;
  /** How long the plan may be applied, in seconds. */
  readonly maxAge?: number | undefined;
}

/** Lists the service and plans. Throws what the service, or a record that cannot be planned, calls for. */
export async function planOnce(
  config: Config,
  connection: Connection,
  options: PlanOptions,
  { earlier, maxAge }: PlanExtras = {},
): Promise<Plan> {
  const wanted = wantedOf(config.desired, options);
  const current = await readCurrent(connection.service, wanted, connection.parallelism);
  const context = {
    ...contextOf(connection, { files: config.files, digest: config.digest }, maxAge),
    unmatched: config.unmatched,
    changedSecrets: await changedPasswords(config, connection.fingerprints),
    ...(earlier === undefined ? {} : { earlier }),
  };
  return makePlan(config.desired, current, options, context, sha256);
}

/** The plan of the same desired records after a run: nothing approved or resent, with what was learned. */
export async function replan(
  config: Config,
  connection: Connection,
  options: PlanOptions,
  learned: Pick<PlanOptions, 'www'>,
): Promise<Plan> {
  const { since: _, only: __, fail_on_drift: ___, ...rest } = options;
  const wanted = wantedOf(config.desired, options);
  const current = await readCurrent(connection.service, wanted, connection.parallelism);
  const context = contextOf(connection, { files: [], digest: '' });
  return makePlan(config.desired, current, { ...rest, ...learned, resend_passwords: false }, context, sha256);
}

/** The second plan of a plan that stands by itself, without the files that it came from. */
export async function replanAlone(
  plan: Plan,
  connection: Connection,
  learned: Pick<PlanOptions, 'www'>,
): Promise<Plan> {
  const desired = desiredOfPlan(plan);
  const options = { ...proofOptions(plan), ...learned };
  const current = await readCurrent(connection.service, wantedOf(desired, options), connection.parallelism);
  return makePlan(desired, current, options, contextOf(connection, plan.config), sha256);
}

/** The selected domains, each with the readable fields that it declares. */
export function wantedOf(
  desired: Desired,
  options: PlanOptions,
): { domain: string; fields: readonly FieldName[] }[] {
  const isSelected = selection(options);
  return desired.websites
    .filter(({ domain }) => isSelected(domain))
    .map(({ domain, settings }) => ({
      domain,
      fields: READABLE_NAMES.filter((name) => settings[name] !== undefined),
    }));
}

/** Where the journal of each run lies. */
export function runsFolder(root: string): string {
  return join(stateFolder(root), 'runs');
}

/** The lock of this service and key (design, Settled J). */
export function lockPath(root: string, connection: Connection): string {
  const name = sha256(`${connection.identity}\n${connection.keyFingerprint}`).slice(0, 16);
  return join(stateFolder(root), 'locks', `${name}.lock`);
}
