/** Carrying out what was approved: its progress on standard error, its result where it was asked for. */
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import type { Result, RunEvent } from '../../model/run.ts';
import { eventHuman, eventJson, eventStreamOpening, planEvents } from '../../report/event.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { jsonDocument } from '../../report/json.ts';
import { resultHuman } from '../../report/result/human.ts';
import { type ApplySettings, apply, exitOf, nothingToDo } from '../../sync/apply.ts';
import type { Session } from '../../sync/session.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { takeInterrupts } from '../io/interrupt.ts';
import type { Io } from '../io/io.ts';
import { errOptions, outOptions } from '../io/output.ts';
import { writeReports } from '../io/reports.ts';
import { type Known, summarizeResult } from '../io/step-summary.ts';
import type { Flags } from '../options.ts';

export type CarryOutFlags = Flags<'undo'> & Partial<Pick<Flags<'apply'>, 'skip-stale'>>;

/** Carries out the plan of a session and reports; returns the exit code. */
export async function applyAndReport(
  session: Session,
  flags: CarryOutFlags,
  io: Io,
  notes: readonly string[] = [],
): Promise<ExitCode> {
  if (session.plan.changes.length === 0) return reportNothing(session, flags, io, notes);
  const { signal, end } = takeInterrupts();
  const settings = { ...settingsInSight(session, flags, io, signal), notes };
  const carried = await apply(session, settings).finally(end);
  if (flags.format !== 'ndjson') io.out(resultText(carried.result, flags, io));
  const { result, done } = carried;
  const known = { target: session.plan.service.target, applied: done };
  await summarizeResult(result, io, known);
  await reportResult(result, flags, io, known);
  return exitOf(carried);
}

/** Writes a result to the files that were asked for. Throws `file-failed`. */
async function reportResult(result: Result, flags: CarryOutFlags, io: Io, known: Known): Promise<void> {
  const options = { color: false, width: io.width, digest: sha256, ...known };
  const text = async (format: keyof typeof RESULT_FORMATS) =>
    (await RESULT_FORMATS[format]())(result, options);
  await writeReports(flags, RESULT_FORMATS, text, io);
}

/** How the plan of a session is carried out, with what happens told as it happens. */
function settingsInSight(
  { plan }: Session,
  flags: CarryOutFlags,
  io: Io,
  signal: AbortSignal,
): ApplySettings {
  return {
    maxFailures: flags['max-failures'],
    canary: flags.canary,
    skipStale: flags['skip-stale'],
    emit: listener(plan, flags, io),
    signal,
  };
}

/**
 * Reports a plan without changes. One that was just made is shown by whoever asked about it: in words, the result adds
 * nothing to it, and the CI system has it.
 */
async function reportNothing(
  { plan, connection, saved }: Session,
  flags: CarryOutFlags,
  io: Io,
  notes: readonly string[],
): Promise<ExitCode> {
  const isPlanShown = saved === undefined;
  const result = { ...nothingToDo(plan, connection), notes };
  listener(plan, flags, io)({ type: 'run_ended', result });
  if (flags.format === 'json' || (flags.format !== 'ndjson' && !isPlanShown)) {
    io.out(resultText(result, flags, io));
  }
  const known = { target: plan.service.target };
  if (!isPlanShown) await summarizeResult(result, io, known);
  await reportResult(result, flags, io, known);
  return EXIT.done;
}

/** Events as lines: for a program on standard output, for a person on standard error. */
function listener(plan: Plan, flags: CarryOutFlags, io: Io): (event: RunEvent) => void {
  const isStream = flags.format === 'ndjson';
  const write = isStream ? io.out : io.err;
  const options = errOptions(io);
  if (isStream) write(eventStreamOpening() + planEvents(plan));
  io.progress?.plan(plan.changes.map(({ action }) => action));
  return (event) => {
    const isTold = io.progress?.event(event) ?? true;
    const text = isStream ? eventJson(event) : isTold ? eventHuman(event, options) : undefined;
    if (text !== undefined) write(text);
  };
}

function resultText(result: Result, flags: CarryOutFlags, io: Io): string {
  return flags.format === 'json' ? jsonDocument(result) : resultHuman(result, outOptions(io));
}
