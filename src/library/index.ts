/**
 * websites-as-code as a library, for scripts that want more than the command line: load → plan → apply → render.
 * Every function reads and writes what the command line does: the same files, runs, lock and guards.
 */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { load as loadFiles } from '../cli/files.ts';
import type { AnyFlags } from '../cli/options.ts';
import { milliseconds, planningOf, type Surroundings, serviceSettings } from '../cli/session.ts';
import type { Config } from '../config/load.ts';
import { noFile } from '../config/read/problems.ts';
import { apiKeyFrom } from '../model/api-key.ts';
import { type ExitCode, type Problem, WebsitesError } from '../model/errors.ts';
import { NOT_SAID, whereOf } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import type { DesiredWebsite } from '../model/website.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import { bearsItsDigest } from '../planner/plan-file/write.ts';
import { PLAN_FORMATS, type PlanFormat, RESULT_FORMATS } from '../report/formats.ts';
import { type ConnectSettings, withConnection } from '../sync/connect.ts';
import { planOnce } from '../sync/plan.ts';
import { checkMadeFrom, savedPlan } from '../sync/saved-plan.ts';
import { apply as applySession, exitOfApplied, openSession } from '../sync/session.ts';
import { sha256 } from '../util/node/sha256.ts';
import { type ApplySettings, flagsOf, type LoadOptions, type PlanSettings } from './settings.ts';

export type * from '../model/change.ts';
export type * from '../model/errors.ts';
export { EXIT } from '../model/errors.ts';
export type { FieldName, Settings } from '../model/field-table.ts';
export type { Value } from '../model/field-types.ts';
export type * from '../model/guard.ts';
export type { Orphan, PlanOptions } from '../model/plan.ts';
export type * from '../model/risk.ts';
export type { Failure, NotAttempted, Residual, RunEvent, Subject } from '../model/run.ts';
export type { SecretRef } from '../model/secret.ts';
export type { UpdateRule, WwwRule } from '../model/website.ts';
export type { ApplySettings, DesiredWebsite, LoadOptions, Plan, PlanFormat, PlanSettings, Result };
export { WebsitesError };

/** Files that were read and are valid. It contains references to passwords, never their values. */
export interface Configuration {
  readonly websites: readonly DesiredWebsite[];
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** The directory of the first file, in which runs are kept. */
  readonly root: string;
  readonly warnings: readonly Problem[];
}

/** The result of an apply, and the exit code of the same `websites apply`. */
export type Outcome = { readonly result: Result; readonly exitCode: ExitCode };

export type ResultFormat = keyof typeof RESULT_FORMATS;

type Parts = {
  readonly config: Config;
  readonly flags: AnyFlags;
  readonly io: Surroundings;
};
const sources = new WeakMap<Configuration, Parts>();

function sourceOf(configuration: Configuration): Parts {
  const source = sources.get(configuration);
  if (source === undefined) throw new TypeError('This configuration was not returned by load().');
  return source;
}

/**
 * Reads and checks files. Throws a WebsitesError: `config-missing`, `file-failed`, `config-invalid` with all
 * problems in `problems`, or `usage` for an unknown or unfit option, and for targets without `target`.
 */
export async function load(options: LoadOptions = {}): Promise<Configuration> {
  const flags = flagsOf('load()', options, ['cwd', 'env']);
  const { cwd = process.cwd(), env = process.env } = options;
  const io = { cwd: resolve(cwd), env, stdin: process.stdin, err: () => undefined, where: NOT_SAID };
  const config = await loadFiles(flags, io);
  const warnings = [...config.warnings, ...config.unmatched.map(noFile)];
  const { desired, files, root } = config;
  // Plans use the same lists, and know the place of each website in them.
  const configuration = frozen({ websites: desired.websites, files, root, warnings });
  sources.set(configuration, { config, flags, io });
  return configuration;
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/**
 * Reads the service and plans; nothing is written. `guards` of the plan are the blocking ones. Throws a
 * WebsitesError: `usage`, `base-url-invalid`, `key-missing`, `plan-impossible`, `revision-missing`, or the service's
 * failure.
 */
export async function plan(configuration: Configuration, settings: PlanSettings = {}): Promise<Plan> {
  const { config, io, ...source } = sourceOf(configuration);
  const flags = { ...source.flags, ...flagsOf('plan()', settings, ['apiKey']) };
  const planning = { ...(await planningOf(config, flags, io)), maxAgeMs: milliseconds(flags['max-age']) };
  return withConnection(service({ config, io, flags }, settings.apiKey), (connection) =>
    planOnce(planning, connection),
  );
}

/**
 * Applies exactly this plan, once. Each record is read first; if one changed since the plan, nothing is sent (exit
 * code 6). Later failures are in the result. Throws a WebsitesError before anything is sent: `usage`, `plan-invalid`,
 * `seal-invalid`, `guard-refused`, `plan-stale`, `lock-held`, `secret-missing`, `interrupted`, `file-failed`, or the
 * service's failure.
 */
export async function apply(
  configuration: Configuration,
  plan: Plan,
  settings: ApplySettings = {},
): Promise<Outcome> {
  const { config, io, flags } = sourceOf(configuration);
  const given = flagsOf('apply()', settings, ['apiKey', 'onEvent', 'signal']);
  const { onEvent: emit = () => {}, signal = new AbortController().signal, ...rest } = settings;
  // Many applies may share the signal, and Node reports more than ten listeners as a leak.
  setMaxListeners(0, signal);
  if (!bearsItsDigest(plan, sha256)) {
    const message = 'Not a plan, or it was changed after it was made.';
    throw new WebsitesError('plan-invalid', message, { remedy: 'Plan again.' });
  }
  await checkMadeFrom(plan, config);
  const { secrets } = config;
  const session = await openSession(savedPlan(plan, secrets), {
    ...service({ config, io, flags: { ...flags, ...given } }, settings.apiKey),
    note: (text) => emit({ type: 'earlier_run', message: text.trim() }),
    ...{ secrets, signal },
  });
  try {
    const applied = await applySession(session, { ...rest, emit, signal });
    return { result: applied.result, exitCode: exitOfApplied(applied) };
  } finally {
    await session.close();
  }
}

/** The environment overrides the files: then they cannot set the destination of the key. */
function service({ config, io, flags }: Parts, apiKey: string | undefined): ConnectSettings {
  const base = flags['base-url'] ?? (io.env.WEBSITES_BASE_URL || undefined);
  const files = flags.file ?? config.files.slice(0, 1).map(({ path }) => path);
  const where = whereOf({ file: files.map((path) => resolve(io.cwd, path)), 'base-url': flags['base-url'] });
  const settings = serviceSettings({ ...flags, 'base-url': base }, config, { ...io, where });
  if (apiKey === undefined) return settings;
  return { ...settings, key: async (warn) => apiKeyFrom(apiKey, 'settings.apiKey') ?? settings.key(warn) };
}

/** Without colors and in 100 columns by default. */
type View = { readonly color?: boolean | undefined; readonly width?: number | undefined };
const viewOf = ({ color = false, width = 100 }: View = {}) => ({ color, width, digest: sha256 });

/**
 * Returns a plan as text; `json` is the format of `websites plan --out`. No format shows a password. Throws `usage`
 * for an unknown format.
 */
export async function renderPlan(plan: Plan, format: PlanFormat, view?: View): Promise<string> {
  // A program may have changed the plan: cached texts of its lists must not be used.
  const now = { ...plan, changes: [...plan.changes], orphans: [...plan.orphans] };
  return [...(await oneOf(PLAN_FORMATS, format)())(now, viewOf(view))].join('');
}

/** Returns a result as text. Throws as `renderPlan` does. */
export async function renderResult(result: Result, format: ResultFormat, view?: View): Promise<string> {
  return [...(await oneOf(RESULT_FORMATS, format)())(result, viewOf(view))].join('');
}

function oneOf<T extends object, Format extends keyof T>(formats: T, format: Format): T[Format] {
  if (Object.hasOwn(formats, format)) return formats[format];
  throw new WebsitesError('usage', `format must be one of ${Object.keys(formats).join(', ')}.`);
}

/** Reads the output of `renderPlan(plan, 'json')`. Throws `plan-invalid` for anything else, also if it was edited. */
export function readPlan(text: string): Plan {
  return parsePlan(text, 'The text', sha256);
}
