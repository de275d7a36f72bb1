/** Applying to all targets: planned side by side, asked about once, carried out side by side. */
import { applyPlan, guardRefused } from '../../apply/apply.ts';
import { LOCK_FILE } from '../../config/lock-file.ts';
import { EXIT, type ExitCode } from '../../core/errors.ts';
import { refusals } from '../../core/guards.ts';
import { EVENT_FORMATS } from '../../render/index.ts';
import { planHuman } from '../../render/plan/human.ts';
import { resultHuman } from '../../render/result/human.ts';
import { type TargetOutcome, targetHeading } from '../../render/targets.ts';
import { carryOut, exitOf, nothingToDo } from '../../sync/apply.ts';
import { outwaitKilledRun } from '../../sync/killed-run.ts';
import { openLocked } from '../../sync/locked.ts';
import { planOnce } from '../../sync/plan.ts';
import { type Work, workOfFiles } from '../../sync/work.ts';
import { ask } from '../ask.ts';
import type { CarryOutFlags } from '../carry-out.ts';
import { interruptible } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { errOptions, outOptions, showWarnings } from '../output.ts';
import { connectSettings, load, loadEarlier, planOptions } from '../session.ts';
import { reportPlan, tellResult } from '../surfaces.ts';
import type { PlanAllFlags } from './plan-all.ts';
import { failed, namesOf, showOutcomes, sideBySide } from './targets.ts';

type Flags = PlanAllFlags &
  CarryOutFlags & { readonly 'auto-approve'?: boolean | undefined; readonly quiet?: boolean | undefined };

/** A target that is planned for and locked. */
interface Opened {
  readonly name: string;
  readonly work: Work;
  close(): Promise<void>;
}

/** Plans, asks once, applies. A target that fails, or that a guard refuses, does not stop the others. */
export async function applyAll(flags: Flags, io: Io): Promise<ExitCode> {
  const names = await namesOf(flags, io);
  const opened: Opened[] = [];
  try {
    const planned = await sideBySide(names.map(named), io, flags, async ({ name }, own) => {
      const target = await open(name, flags, own);
      opened.push(target);
      return { name, plan: target.work.plan, exit: EXIT.done };
    });
    const approved = await approve(planned, flags, io);
    const ready = opened.filter(({ name }) =>
      approved.some((one) => one.name === name && one.exit === EXIT.done),
    );
    const applied = await interruptible((signal) =>
      sideBySide(ready, io, flags, (target, own) => apply(target, flags, signal, own)),
    );
    const byName = new Map([...approved, ...applied].map((outcome) => [outcome.name, outcome]));
    const outcomes = names.flatMap((name) => byName.get(name) ?? []);
    for (const { result } of outcomes) if (result !== undefined) await tellResult(result, io);
    const text = ({ result }: TargetOutcome): string | undefined =>
      result && resultHuman(result, outOptions(io, flags));
    return showOutcomes(outcomes, text, flags, io);
  } finally {
    await Promise.all(opened.map((target) => target.close()));
  }
}

const named = (name: string): { readonly name: string } => ({ name });

async function open(name: string, flags: Flags, own: Io): Promise<Opened> {
  const chosen = { ...flags, 'target-name': name };
  const config = await load(chosen, own);
  showWarnings(config.warnings, own, flags);
  const options = planOptions(flags, config);
  const earlier = await loadEarlier(chosen, own);
  const settings = connectSettings(flags, config.service, config.root, own);
  const { connection, lock, close } = await openLocked(settings, options.shard);
  try {
    await outwaitKilledRun(config.root, connection, own.err, options.shard);
    const plan = await planOnce(config, connection, options, { earlier });
    return { name, work: workOfFiles(plan, config, options, connection, lock), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Shows the plans and asks; refused ones come back with the exit code of a guard. Throws `approval-missing`. */
async function approve(
  planned: readonly TargetOutcome[],
  flags: Flags,
  io: Io,
): Promise<readonly TargetOutcome[]> {
  const isHuman = (flags.format ?? 'human') === 'human';
  const outcomes: TargetOutcome[] = [];
  let changes = 0;
  for (const outcome of planned) {
    const { name, plan } = outcome;
    if (plan === undefined) {
      outcomes.push(outcome);
      continue;
    }
    if (isHuman)
      io.out(targetHeading(outcome, outOptions(io, flags)) + planHuman(plan, outOptions(io, flags)));
    await reportPlan(plan, { color: flags.color }, io);
    const refused = refusals(plan.guards);
    if (refused.length > 0)
      outcomes.push({ ...(await failed(name, guardRefused(refused), flags, io)), plan });
    else {
      outcomes.push(outcome);
      changes += plan.changes.length;
    }
  }
  if (changes > 0 && !flags['auto-approve']) {
    if (io.canAsk && !isHuman) showPlans(outcomes, flags, io);
    await ask('Apply these changes?', io);
  }
  return outcomes;
}

function showPlans(outcomes: readonly TargetOutcome[], flags: Flags, io: Io): void {
  const options = errOptions(io, flags);
  for (const outcome of outcomes) {
    if (outcome.plan) io.err(targetHeading(outcome, options) + planHuman(outcome.plan, options));
  }
}

async function apply(
  { name, work }: Opened,
  flags: Flags,
  signal: AbortSignal,
  own: Io,
): Promise<TargetOutcome> {
  const { plan, connection } = work;
  if (plan.changes.length === 0) {
    return { name, plan, result: nothingToDo(plan, connection.limiter().requests), exit: EXIT.done };
  }
  const options = {
    emit: listener(flags, own),
    signal,
    maxFailures: flags['max-failures'],
    canary: flags.canary,
    batchSize: flags['batch-size'],
    writeLock: flags['write-lock'],
  };
  const carried = await carryOut(work, options, (how) => applyPlan(plan, how));
  if (carried.lockChanged) own.err(`${LOCK_FILE} has changed: commit it with the files.\n`);
  return { name, plan, result: carried.result, exit: exitOf(carried) };
}

/** What happens, as lines for a person; of a quiet run its failures alone. */
function listener(flags: Flags, own: Io): Parameters<typeof carryOut>[1]['emit'] {
  const options = errOptions(own, flags);
  return (event) => {
    if (flags.quiet && event.type !== 'change_failed') return;
    const line = EVENT_FORMATS.human.line(event, options);
    if (line !== undefined) own.err(line);
  };
}
