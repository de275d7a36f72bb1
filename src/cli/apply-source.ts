import { addressOf } from '../model/base-url.ts';
import { exitOf } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { RunEvent } from '../model/run.ts';
import { guardError } from '../planner/guards.ts';
import { eventHuman, eventStreamOpening, planEvents } from '../report/events.ts';
import { PLAN_FORMATS, RESULT_FORMATS } from '../report/formats.ts';
import { jsonLine } from '../report/json.ts';
import { type Here, planDocument } from '../report/plan.ts';
import { safe, shownLine } from '../report/sanitize.ts';
import { exitOfApplied } from '../run/result.ts';
import { resolveSecrets } from '../run/values.ts';
import type { ConnectSettings } from '../sync/connect.ts';
import { openSession, type PlanSource, type Session } from '../sync/session.ts';
import { publish } from './io/documents.ts';
import { takeInterrupts } from './io/interrupt.ts';
import type { Io } from './io/io.ts';
import { errOptions, showDocument } from './io/output.ts';
import type { AnyFlags } from './options.ts';
import { runSettings } from './settings.ts';

const REVERT =
  'If the configuration is still that of the undone run, the next apply will do the same again. Revert its commit.';

/**
 * Opens a session, shows the plan, asks for confirmation and applies the plan. Throws `approval-missing` and
 * `interrupted`.
 */
export async function applySource(source: PlanSource, settings: ConnectSettings, flags: AnyFlags, io: Io) {
  // Made safe for a terminal, because these lines contain values of the service.
  const note = (line: string): void => io.err(shownLine(line));
  const readOnly = !flags.autoApprove && !io.canAsk;
  const session = await openSession(source, { ...settings, note, readOnly });
  try {
    const { plan, sentBefore } = session;
    const isUndo = plan.options.undoes !== undefined;
    // An undo warns about the changes that it does not undo.
    const left = isUndo ? plan.warnings : [];
    const isIncompleteUndo = left.length > 0;
    const isBlocked = sentBefore === undefined && !(await approve(session, flags, io));
    if (isBlocked) return exitOf({ guard: true, incomplete: isIncompleteUndo });
    const { signal, end } = takeInterrupts();
    signal.addEventListener('abort', session.interrupt);
    // As JSON, the result contains these warnings. Other formats already showed them with the plan.
    const warnings = flags.format === 'json' ? left.map(({ message }) => message) : [];
    const notes = isUndo && plan.changes.length > 0 ? [...warnings, REVERT] : warnings;
    const emit = listener(plan, flags, io);
    const run = { ...session, ...runSettings(flags), emit, signal, notes };
    const { applyPlan } = await import('../run/apply.ts');
    const applied = await applyPlan(run).finally(end);
    // If the plan was just shown, a result without changes adds nothing to it.
    const isNews = sentBefore !== undefined || plan.changes.length > 0;
    const { format = 'human', report } = flags;
    const shown = format === 'json' || (format === 'human' && isNews) ? format : undefined;
    const view = { target: plan.service.target, applied: applied.done, report, summary: isNews };
    await publish(applied.result, RESULT_FORMATS, { ...view, format: shown }, io);
    return exitOfApplied(applied, isIncompleteUndo);
  } finally {
    await session.close();
  }
}

/** Returns false if a guard blocks the plan, after reporting that. */
async function approve({ plan, resolveSecret }: Session, flags: AnyFlags, io: Io): Promise<boolean> {
  const here: Here = { unset: (await resolveSecrets(plan.changes, resolveSecret)).missing };
  // Other formats print one document, which is the result, so only text shows the plan.
  const isShown = (flags.format ?? 'human') === 'human';
  await publish(plan, PLAN_FORMATS, { ...here, format: isShown ? 'human' : undefined }, io);
  const blocked = guardError(plan.guards);
  if (blocked !== undefined) {
    // The plan, if it was shown, already names the guards that block it.
    if (isShown) io.err('Nothing was applied.\n');
    else (await import('./io/error.ts')).showError(blocked, { format: flags.format }, io);
    return false;
  }
  if (plan.changes.length === 0 || flags.autoApprove) return true;
  if (io.canAsk && !isShown) showDocument(planDocument(plan, here), io);
  // Escaped, because the URL may contain the value of an environment variable.
  const address = safe(addressOf(plan.service));
  const { target } = plan.service;
  const { ask } = await import('./io/prompt.ts');
  await ask(`Apply these changes to ${target === undefined ? address : `${target} (${address})`}?`, io);
  return true;
}

/** Writes run events: as NDJSON to standard output, or as text to standard error. */
function listener(plan: Plan, flags: AnyFlags, io: Io): (event: RunEvent) => void {
  const isStream = flags.format === 'ndjson';
  const options = errOptions(io);
  if (isStream) io.out(eventStreamOpening() + planEvents(plan));
  return (event) => {
    const isWorthALine = io.progress?.event(event) ?? true;
    const text = isStream ? jsonLine(event) : isWorthALine ? eventHuman(event, options) : undefined;
    if (text !== undefined) (isStream ? io.out : io.err)(text);
  };
}
