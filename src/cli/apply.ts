import { addressOf } from '../model/base-url.ts';
import { type ExitCode, exitOf } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { RunEvent } from '../model/run.ts';
import { guardError } from '../planner/guards.ts';
import { eventHuman, eventJson, eventStreamOpening, planEvents } from '../report/events.ts';
import { RESULT_FORMATS } from '../report/formats.ts';
import { terminalText } from '../report/media/terminal.ts';
import { type Here, planDocument } from '../report/plan.ts';
import { safe, shownLine } from '../report/sanitize.ts';
import { applyPlan, exitOfApplied } from '../run/apply.ts';
import { missingSecrets } from '../run/values.ts';
import { type Opening, openSession, type Session, type Source } from '../sync/session.ts';
import { reportPlan, show, showPlan, summarize, writeReports } from './io/documents.ts';
import { takeInterrupts } from './io/interrupt.ts';
import type { Io } from './io/io.ts';
import { errOptions } from './io/output.ts';
import { ask } from './io/prompt.ts';
import type { AnyFlags } from './options.ts';

const REVERT =
  'The configuration is still that of the undone run, so the next apply would do the same again. Revert its commit.';

/** Opens a session, shows a new plan, asks and applies it. Throws `approval-missing` and `interrupted`. */
export async function carryOut(
  source: Source,
  opening: Omit<Opening, 'note' | 'onlyLooks'>,
  flags: AnyFlags,
  io: Io,
): Promise<ExitCode> {
  const session = await openSession(source, {
    ...opening,
    // Lines about earlier runs contain values of the service.
    note: (line) => io.err(shownLine(line)),
    onlyLooks: !flags['auto-approve'] && !io.canAsk,
  });
  const { plan, begun, isStillDeclared } = session;
  try {
    // An undo warns of what it leaves.
    const isUndo = plan.options.undoes !== undefined;
    const isShort = isUndo && plan.warnings.length > 0;
    const isBlocked = begun === undefined && !(await approve(session, flags, io));
    if (isBlocked) return exitOf({ guard: true, incomplete: isShort });
    const { signal, end } = takeInterrupts();
    signal.addEventListener('abort', session.interrupt);
    const { format = 'human' } = flags;
    // Text and events contain the warnings of an undo with its plan.
    const warnings = isUndo && format === 'json' ? plan.warnings.map(({ message }) => message) : [];
    const notes = isStillDeclared && plan.changes.length > 0 ? [...warnings, REVERT] : warnings;
    const applied = await applyPlan({
      ...session,
      maxFailures: flags['max-failures'],
      canary: flags.canary,
      skipStale: flags['skip-stale'],
      emit: listener(plan, flags, io),
      signal,
      notes,
    }).finally(end);
    const { result, done } = applied;
    const known = { target: plan.service.target, applied: done };
    // An empty result as text adds nothing to a plan that was just shown, also in CI.
    const isNews = begun !== undefined || plan.changes.length > 0;
    if (format === 'json' || (format === 'human' && isNews)) await show(result, RESULT_FORMATS[format], io);
    if (isNews) await summarize(result, RESULT_FORMATS.markdown, io, known);
    await writeReports(result, RESULT_FORMATS, flags, io, known);
    return exitOfApplied(applied, isShort);
  } finally {
    await session.close();
  }
}

/** Returns false if a guard blocks the plan, which is then reported. */
async function approve({ plan, resolveSecret }: Session, flags: AnyFlags, io: Io): Promise<boolean> {
  const here: Here = { unset: await missingSecrets(plan.changes, resolveSecret) };
  // Reports, and standard output in another format, are for the result.
  const shown = { ...flags, report: undefined };
  const isShown = (flags.format ?? 'human') === 'human';
  await (isShown ? showPlan : reportPlan)(plan, shown, io, here);
  const blocked = guardError(plan.guards);
  if (blocked !== undefined) {
    // The shown plan names its blocking guards.
    if (isShown) io.err('Nothing was applied.\n');
    else (await import('./io/error.ts')).showError(blocked, { format: flags.format }, io);
    return false;
  }
  if (plan.changes.length === 0 || flags['auto-approve']) return true;
  if (io.canAsk && !isShown) io.err(terminalText(planDocument(plan, here), errOptions(io)));
  // The address may contain the value of a variable.
  const address = safe(addressOf(plan.service));
  const { target } = plan.service;
  await ask(`Apply these changes to ${target === undefined ? address : `${target} (${address})`}?`, io);
  return true;
}

/** Writes events as lines: on standard output for a program, on standard error for a person. */
function listener(plan: Plan, flags: AnyFlags, io: Io): (event: RunEvent) => void {
  const isStream = flags.format === 'ndjson';
  const options = errOptions(io);
  if (isStream) io.out(eventStreamOpening() + planEvents(plan));
  return (event) => {
    const isWorthALine = io.progress?.event(event) ?? true;
    const text = isStream ? eventJson(event) : isWorthALine ? eventHuman(event, options) : undefined;
    if (text !== undefined) (isStream ? io.out : io.err)(text);
  };
}
