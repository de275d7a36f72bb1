/** The command line as functions: load → plan → apply → render. Files, runs, lock and guards are the same. */
import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { readOptions, type SettingsOf } from '../cli/argv/flags.ts';
import { load as loadFiles } from '../cli/files.ts';
import { planningOf, runSettings, serviceSettings } from '../cli/settings.ts';
import { EXIT, type ExitCode, type Problem, WebsitesError } from '../model/errors.ts';
import { NO_NEXT_FLAGS, nextFlagsOf } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import type { DesiredWebsite } from '../model/website.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import type { PlanFormat, ResultFormat, View } from '../report/formats.ts';
import { PLAN_FORMATS, RESULT_FORMATS, renderAs } from '../report/formats.ts';
import { exitOfApplied } from '../run/result.ts';
import { planAt } from '../sync/plan.ts';
import { madePlan } from '../sync/saved-plan.ts';
import { openSession } from '../sync/session.ts';
import { frozen } from '../util/json.ts';
import { sha256 } from '../util/node/sha256.ts';

export type * from '../model/change.ts';
export type * from '../model/errors.ts';
export type { FieldName, Settings } from '../model/field-table.ts';
export type { Value } from '../model/field-types.ts';
export type { Approvals, Guard, GuardCode, Orphan, PlanOptions } from '../model/plan.ts';
export type * from '../model/risk.ts';
export type { Failure, NotAttempted, Residual, RunEvent, Subject } from '../model/run.ts';
export type { SecretRef } from '../model/secret.ts';
export type { UpdateRule, WwwRule } from '../model/website.ts';
export {
  type DesiredWebsite,
  EXIT,
  type Plan,
  type PlanFormat,
  type Result,
  type ResultFormat,
  WebsitesError,
};

/** Flags that choose files. `cwd` and `env` default to those of the process. */
export interface LoadOptions extends SettingsOf<'load()'> {}

/** Flags of `websites plan`, such as `allowDeletes`. Times are in seconds. `apiKey` overrides WEBSITES_API_KEY. */
export interface PlanSettings extends SettingsOf<'plan()'> {}

/** Flags of `websites apply`. After `signal` is aborted, nothing new is sent, and requests in flight are finished. */
export interface ApplySettings extends SettingsOf<'apply()'> {}

/** The content of valid files. Contains references to passwords, never their values. */
export interface Configuration {
  readonly websites: readonly DesiredWebsite[];
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** Directory of the first file. Runs are stored in it. */
  readonly root: string;
  readonly warnings: readonly Problem[];
}

/** The result of an apply, and the exit code that `websites apply` would have. */
export type Outcome = { readonly result: Result; readonly exitCode: ExitCode };

const sources = new WeakMap<Configuration, Parameters<typeof planningOf>>();

/**
 * Reads and checks files. Throws a WebsitesError: `config-missing`, `file-failed`, `config-invalid` with all problems
 * in `problems`, or `usage`, for example if a file with targets is loaded without `target`.
 */
export async function load(options: LoadOptions = {}): Promise<Configuration> {
  const flags = readOptions('load()', options);
  const { cwd = process.cwd(), env = process.env } = flags;
  const io = { cwd: resolve(cwd), env, stdin: process.stdin, err: () => undefined, nextFlags: NO_NEXT_FLAGS };
  const config = await loadFiles(flags, io);
  const { desired, files, root, notes: warnings } = config;
  // Plans use these same lists, which have the location of each website.
  const configuration = frozen({ websites: desired.websites, files, root, warnings });
  sources.set(configuration, [config, flags, io]);
  return configuration;
}

/**
 * Reads the service and returns a plan. Writes nothing. `guards` of the plan are those that block it. Throws a
 * WebsitesError: `usage`, `base-url-invalid`, `key-missing`, `plan-impossible`, `revision-missing`, or an error of
 * the service.
 */
export async function plan(configuration: Configuration, settings: PlanSettings = {}): Promise<Plan> {
  const source = loaded(configuration, 'plan()', settings);
  return planAt(serviceSettings(...source), await planningOf(...source));
}

/**
 * Applies exactly this plan, once. Reads each record first. If a record has changed since the plan, sends nothing
 * (exit code 6). Failures after the first request are in the result. Throws a WebsitesError before anything is sent:
 * `usage`, `plan-invalid`, `seal-invalid`, `guard-refused`, `plan-stale`, `lock-held`, `secret-missing`,
 * `interrupted`, `file-failed`, or an error of the service.
 */
export async function apply(
  configuration: Configuration,
  plan: Plan,
  settings: ApplySettings = {},
): Promise<Outcome> {
  const [config, flags, io] = loaded(configuration, 'apply()', settings);
  const { onEvent: emit = () => undefined, signal = new AbortController().signal } = flags;
  // Many applies may share the signal. Node would report more than ten listeners as a memory leak.
  setMaxListeners(0, signal);
  const note = (text: string): void => emit({ type: 'earlier_run', message: text.trim() });
  const sessionSettings = { ...serviceSettings(config, flags, io), note, signal };
  const session = await openSession(await madePlan(plan, config), sessionSettings);
  try {
    const { applyPlan } = await import('../run/apply.ts');
    const applied = await applyPlan({ ...session, ...runSettings(flags), emit, signal });
    return { result: applied.result, exitCode: exitOfApplied(applied) };
  } finally {
    await session.close();
  }
}

/** Adds the flags of this call. WEBSITES_BASE_URL overrides the URL in the files, and flags override both. */
function loaded(configuration: Configuration, call: string, settings: unknown) {
  const source = sources.get(configuration);
  if (source === undefined) throw new TypeError('This configuration was not returned by load().');
  const [config, flags, io] = source;
  const given = readOptions(call, settings);
  const files = flags.file ?? config.files.slice(0, 1).map(({ path }) => path);
  const nextFlags = nextFlagsOf({ ...given, file: files.map((path) => resolve(io.cwd, path)) });
  const all = { baseUrl: io.env.WEBSITES_BASE_URL || undefined, ...flags, ...given };
  return [config, all, { ...io, nextFlags }] as const;
}

/**
 * Returns a plan as text. `json` is the format of `websites plan --out`. No format contains a password. Throws
 * `usage` for an unknown format.
 */
export async function renderPlan(plan: Plan, format: PlanFormat, view?: View): Promise<string> {
  // Copies the lists, because texts are cached by list, and a program may have changed the plan.
  const now = { ...plan, changes: [...plan.changes], orphans: [...plan.orphans] };
  return renderAs(PLAN_FORMATS, format, now, { digest: sha256, ...view });
}

/** Returns a result as text. Throws like `renderPlan`. */
export async function renderResult(result: Result, format: ResultFormat, view?: View): Promise<string> {
  return renderAs(RESULT_FORMATS, format, result, { digest: sha256, ...view });
}

/** Reads the output of `renderPlan(plan, 'json')`. Throws `plan-invalid` for any other text, also if it was edited. */
export function readPlan(text: string): Plan {
  return parsePlan(text, 'The text', sha256);
}
