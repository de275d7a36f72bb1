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
import { missingSecrets } from '../run/values.ts';
import type { ConnectSettings } from '../sync/connect.ts';
import { apply, exitOfApplied, type Session, type SessionOptions } from '../sync/session.ts';
import { print, reportPlan, showPlan, summarize, writeReports } from './io/documents.ts';
import { takeInterrupts } from './io/interrupt.ts';
import type { Io } from './io/io.ts';
import { errOptions } from './io/output.ts';
import { ask } from './io/prompt.ts';
import type { AnyFlags } from './options.ts';

export function openingOf(settings: ConnectSettings, flags: AnyFlags, io: Io): SessionOptions {
  // Lines about earlier runs contain values of the service.
  const log = (line: string): void => io.err(shownLine(line));
  // Without approval, and with nobody to ask, nothing can be written.
  return { settings, log, onlyLooks: !flags['auto-approve'] && !io.canAsk };
}

/** The requested work that a plan does not do, with notes for the result. */
interface Shortfall {
  readonly notes?: readonly string[];
  readonly isShort?: boolean;
}

/** Shows a new plan, asks, applies it and closes the session. Throws `approval-missing` and `interrupted`. */
export async function carryOut(
  session: Session,
  flags: AnyFlags,
  io: Io,
  { notes = [], isShort = false }: Shortfall = {},
): Promise<ExitCode> {
  const { plan, begun } = session;
  try {
    // A plan file is the approval (decision: "A saved plan is applied as approved").
    const isBlocked = begun === undefined && !(await approve(session, flags, io));
    if (isBlocked) return exitOf({ guard: true, incomplete: isShort });
    const { signal, end } = takeInterrupts();
    const applied = await apply(session, {
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
    const { format = 'human' } = flags;
    if (format === 'json' || (format === 'human' && isNews)) await print(result, RESULT_FORMATS[format], io);
    if (isNews) await summarize(result, RESULT_FORMATS.markdown, io, known);
    await writeReports(result, RESULT_FORMATS, flags, io, known);
    return exitOfApplied(applied, isShort);
  } finally {
    await session.close();
  }
}

/** Returns false if a guard blocks the plan, which is then reported. */
async function approve({ plan, secrets }: Session, flags: AnyFlags, io: Io): Promise<boolean> {
  const here: Here = { unset: await missingSecrets(plan.changes, secrets.resolve) };
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
  const address = safe(addressOf(plan));
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
