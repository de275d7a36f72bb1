/** Applying a plan, for a program. */
import { setMaxListeners } from 'node:events';
import { type ExitCode, WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Result, RunEvent } from '../model/run.ts';
import { bearsItsDigest } from '../planner/plan-file/write.ts';
import { leavesAlone } from '../planner/selection.ts';
import { apply as applySession, exitOf, nothingToDo } from '../sync/apply.ts';
import { checkMadeFrom } from '../sync/saved-plan.ts';
import { openSaved } from '../sync/session.ts';
import { sha256 } from '../util/node/sha256.ts';
import { abortSignal, check, listener, object, whole, yesOrNo } from './checked.ts';
import type { Configuration } from './configuration.ts';
import { SERVICE_CHECKS, type ServiceOptions } from './settings.ts';
import { serviceSettings, sourceOf } from './source.ts';

export interface ApplySettings extends ServiceOptions {
  /** Called with what happens, as it happens. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /**
   * Aborted: no new work starts, what is under way is finished and reported. Before anything is sent, `interrupted` is
   * thrown.
   */
  readonly signal?: AbortSignal | undefined;
  /** Stop after N failed changes. */
  readonly maxFailures?: number | undefined;
  /** So many changes first, listed and verified before the others. From 1 up. */
  readonly canary?: number | undefined;
  /** Leave records out that others changed since the plan was made, instead of sending nothing at all. */
  readonly skipStale?: boolean | undefined;
}

const SCHEMA = object<ApplySettings>({
  ...SERVICE_CHECKS,
  onEvent: listener,
  signal: abortSignal,
  maxFailures: whole(0),
  canary: whole(1),
  skipStale: yesOrNo,
});

export interface Outcome {
  readonly result: Result;
  /** What `websites apply` would exit with: 0 when everything was carried out and verified. */
  readonly exitCode: ExitCode;
}

/**
 * Carries out exactly this plan, once: each record that it changes is read first, and where one is not as the plan
 * found it, nothing is sent (exit code 6). Writes the journal, and shows the result.
 *
 * Throws a WebsitesError before anything is sent: `usage` for a setting that is none, `plan-invalid` for what is no plan
 * or was altered, `seal-invalid` for one that was not made with this key, `guard-refused`, `plan-stale` for one that is expired, was applied already, was made from other files
 * or belongs to another service or key, `lock-held`, `secret-missing`, `interrupted`, `file-failed` where the journal
 * cannot be used, and what the service failed of. What fails later is in the result.
 */
export async function apply(
  configuration: Configuration,
  plan: Plan,
  settings: ApplySettings = {},
): Promise<Outcome> {
  check('settings', SCHEMA, settings);
  const source = sourceOf(configuration);
  const { config } = source;
  const { onEvent = () => {}, signal = new AbortController().signal, ...rest } = settings;
  // Many applies may share it at once, and Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal);
  if (!bearsItsDigest(plan, sha256)) {
    throw new WebsitesError('plan-invalid', 'Not a plan, or it was changed after it was made.', {
      remedy: 'Plan again.',
    });
  }
  await checkMadeFrom(plan, config);
  const tell = (text: string): void => onEvent({ type: 'earlier_run', message: text.trim() });
  const opening = { settings: serviceSettings(settings, source), tell, signal };
  const around = { ...config, isLeftAlone: leavesAlone(config.desired) };
  const session = await openSaved(plan, around, undefined, opening);
  try {
    if (plan.changes.length === 0) {
      return { result: nothingToDo(plan, session.connection), exitCode: 0 };
    }
    const carried = await applySession(session, { ...rest, emit: onEvent, signal });
    return { result: carried.result, exitCode: exitOf(carried) };
  } finally {
    await session.close();
  }
}
