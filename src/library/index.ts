/**
 * websites-as-code as a library, for scripts that want more than the command line: load → plan → apply → render.
 * Every function reads and writes what the command line does: the same files, runs, lock and guards.
 */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { faultOf } from '../cli/argv/flags.ts';
import { load as loadFiles } from '../cli/files.ts';
import { type AnyFlags, type Flags, optionsOf } from '../cli/options.ts';
import { milliseconds, planningOf, type Surroundings, serviceSettings } from '../cli/session.ts';
import type { Config } from '../config/load.ts';
import { noFile } from '../config/read/problems.ts';
import { type ExitCode, type Problem, WebsitesError } from '../model/errors.ts';
import { NOT_SAID, whereOf } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Result, RunEvent } from '../model/run.ts';
import type { DesiredWebsite } from '../model/website.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import { bearsItsDigest } from '../planner/plan-file/write.ts';
import { PLAN_FORMATS, type PlanFormat, RESULT_FORMATS } from '../report/formats.ts';
import { applyPlan, exitOfApplied } from '../run/apply.ts';
import { type ConnectSettings, withConnection } from '../sync/connect.ts';
import { planOnce } from '../sync/plan.ts';
import { checkMadeFrom, savedPlan } from '../sync/saved-plan.ts';
import { openSession } from '../sync/session.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';
import { sha256 } from '../util/node/sha256.ts';

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
export type { DesiredWebsite, Plan, PlanFormat, Result };
export { WebsitesError };

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type SettingsOf<Call extends string, Values = Flags<Call>> = {
  readonly [Name in keyof Values as CamelCase<Name>]?: Values[Name];
};

/** Flags of the files, and `cwd` and `env`, which default to those of the process. */
export interface LoadOptions extends SettingsOf<'load()'> {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Flags of `websites plan`, such as `allowDeletes`. Times are in seconds. `apiKey` overrides that of the environment. */
export interface PlanSettings extends SettingsOf<'plan()'> {}

/** Flags of `websites apply`. Once `signal` is aborted, nothing new is sent, and requests in flight are finished. */
export interface ApplySettings extends SettingsOf<'apply()'> {
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

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
  const flags = flagsOf('load()', options, ['env']);
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
  const flags = { ...source.flags, ...flagsOf('plan()', settings) };
  const planning = { ...(await planningOf(config, flags, io)), maxAgeMs: milliseconds(flags['max-age']) };
  return withConnection(service({ config, io, flags }), (connection) => planOnce(planning, connection));
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
  const given = flagsOf('apply()', settings, ['onEvent', 'signal']);
  const { onEvent: emit = () => {}, signal = new AbortController().signal } = settings;
  const { maxFailures, canary, skipStale } = settings;
  // Many applies may share the signal, and Node reports more than ten listeners as a leak.
  setMaxListeners(0, signal);
  if (!bearsItsDigest(plan, sha256)) {
    const message = 'Not a plan, or it was changed after it was made.';
    throw new WebsitesError('plan-invalid', message, { remedy: 'Plan again.' });
  }
  await checkMadeFrom(plan, config);
  const { secrets } = config;
  const session = await openSession(savedPlan(plan, secrets), {
    ...service({ config, io, flags: { ...flags, ...given } }),
    note: (text) => emit({ type: 'earlier_run', message: text.trim() }),
    ...{ secrets, signal },
  });
  try {
    const applied = await applyPlan({ ...session, emit, signal, maxFailures, canary, skipStale });
    return { result: applied.result, exitCode: exitOfApplied(applied) };
  } finally {
    await session.close();
  }
}

/** The environment overrides the files: then they cannot set the destination of the key. */
function service({ config, io, flags }: Parts): ConnectSettings {
  const base = flags['base-url'] ?? (io.env.WEBSITES_BASE_URL || undefined);
  const files = flags.file ?? config.files.slice(0, 1).map(({ path }) => path);
  const where = whereOf({ file: files.map((path) => resolve(io.cwd, path)), 'base-url': flags['base-url'] });
  return serviceSettings({ ...flags, 'base-url': base }, config, { ...io, where });
}

/** Checks of settings that are no options. Each returns what is accepted, if `value` is not. */
const OTHERS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  env: (value) => {
    const isText = (one: unknown): boolean => one === undefined || typeof one === 'string';
    return isObject(value) && Object.values(value).every(isText) ? undefined : 'an object of strings';
  },
  onEvent: (value) => (typeof value === 'function' ? undefined : 'a function'),
  signal: (value) => (value instanceof AbortSignal ? undefined : 'an AbortSignal'),
};

/**
 * Returns the options among the settings, of the right types: `prune: 'false'` must not count as true. Throws
 * `usage`, never with a value, which may be a key.
 */
function flagsOf(call: string, settings: unknown, others: readonly string[] = []): AnyFlags {
  if (!isObject(settings)) throw new WebsitesError('usage', `The settings of ${call} must be an object.`);
  const camelCase = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const options = new Map(Object.values(optionsOf(call)).map((option) => [camelCase(option.name), option]));
  const known = [...options.keys(), ...others];
  const flags: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (!known.includes(key)) {
      const near = nearest(key, known);
      const remedy = near && `Did you mean settings.${near}?`;
      throw new WebsitesError('usage', `Unknown option: settings.${key}.`, { remedy });
    }
    if (value === undefined) continue;
    const option = options.get(key);
    const fault = option ? faultOf(option, value) : OTHERS[key]?.(value);
    if (fault !== undefined) throw new WebsitesError('usage', `settings.${key} must be ${fault}.`);
    if (option !== undefined) flags[option.name] = value;
  }
  return flags;
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
  return [...(await oneOf(PLAN_FORMATS, format)(now, viewOf(view)))].join('');
}

/** Returns a result as text. Throws as `renderPlan` does. */
export async function renderResult(result: Result, format: ResultFormat, view?: View): Promise<string> {
  return [...(await oneOf(RESULT_FORMATS, format)(result, viewOf(view)))].join('');
}

function oneOf<T extends object, Format extends keyof T>(formats: T, format: Format): T[Format] {
  if (Object.hasOwn(formats, format)) return formats[format];
  throw new WebsitesError('usage', `format must be one of ${Object.keys(formats).join(', ')}.`);
}

/** Reads the output of `renderPlan(plan, 'json')`. Throws `plan-invalid` for anything else, also if it was edited. */
export function readPlan(text: string): Plan {
  return parsePlan(text, 'The text', sha256);
}
