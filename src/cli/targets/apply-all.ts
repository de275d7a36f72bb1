/** Applying to all targets: planned side by side, asked about once, carried out side by side. */
import { applyMade } from '../../apply/resume.ts';
import type { Config } from '../../config/load.ts';
import { EXIT, type ExitCode } from '../../core/errors.ts';
import { guardError } from '../../core/guards.ts';
import type { Plan } from '../../core/plan.ts';
import { planHuman } from '../../render/plan/human.ts';
import { resultHuman } from '../../render/result/human.ts';
import { type TargetOutcome, targetHeading } from '../../render/targets.ts';
import type { RenderOptions } from '../../render/text.ts';
import { exitOf, nothingToDo } from '../../sync/apply.ts';
import { outwaitEarlierRuns } from '../../sync/earlier-runs.ts';
import { openLocked } from '../../sync/locked.ts';
import { planOnce } from '../../sync/plan.ts';
import { type Work, workOfFiles } from '../../sync/work.ts';
import { askAbout, isPlanShown, mayApply } from '../approve.ts';
import { type CarryOutFlags, carryOutInSight, tellUnwatched } from '../carry-out.ts';
import { tellError, tellPlan, tellResult } from '../github.ts';
import { interruptible } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { outOptions, showError } from '../output.ts';
import { prepare } from '../prepare.ts';
import { type AllFlags, failed, showOutcomes, sideBySide, type Target, withTargets } from './targets.ts';

type Flags = AllFlags & CarryOutFlags;

/** A target that is planned for and locked. */
interface Opened extends Target {
  readonly config: Config;
  readonly work: Work;
  close(): Promise<void>;
}

/** Plans, asks once, applies. A target that fails, or that a guard refuses, does not stop the others. */
export function applyAll(flags: Flags, io: Io): Promise<ExitCode> {
  return withTargets(flags, io, async (targets) => {
    const opened: Opened[] = [];
    try {
      const planned = await sideBySide(targets, flags, io, async (target) => {
        const own = await open(target, flags);
        opened.push(own);
        return { name: own.name, plan: own.work.plan, exit: EXIT.done };
      });
      const outcomes = await applyTo(opened, targets, planned, flags, io);
      for (const { result, name } of outcomes) if (result !== undefined) await tellResult(result, io, name);
      const text = ({ result }: TargetOutcome): string | undefined =>
        result && resultHuman(result, outOptions(flags, io));
      return showOutcomes(outcomes, text, flags, io);
    } finally {
      await Promise.all(opened.map((target) => target.close()));
    }
  });
}

/** Asks, and applies what may be applied; the outcomes are in the order of the targets. */
async function applyTo(
  opened: readonly Opened[],
  targets: readonly Target[],
  planned: readonly TargetOutcome[],
  flags: Flags,
  io: Io,
): Promise<readonly TargetOutcome[]> {
  const approved = await approve(planned, targets, flags, io);
  const ready = opened.filter(({ name }) =>
    approved.some((one) => one.name === name && one.exit === EXIT.done),
  );
  const applied = await interruptible((signal) =>
    sideBySide(ready, flags, io, (target) => apply(target, flags, signal)),
  );
  return approved.map((outcome) => applied.find(({ name }) => name === outcome.name) ?? outcome);
}

async function open({ name, io: own }: Target, flags: Flags): Promise<Opened> {
  const { config, options, earlier, settings } = await prepare({ ...flags, 'target-name': name }, own);
  const { connection, lock, close } = await openLocked(settings, options.shard);
  try {
    await outwaitEarlierRuns(config.root, connection, own.err, {
      shard: options.shard,
      onlyLooks: !mayApply(flags, own),
    });
    const plan = await planOnce(config, connection, options, { earlier, toSave: true });
    return { name, io: own, config, work: workOfFiles(plan, config, options, connection, lock), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Shows the plans and asks; what a guard or the answer refuses comes back with its exit code. */
async function approve(
  planned: readonly TargetOutcome[],
  targets: readonly Target[],
  flags: Flags,
  io: Io,
): Promise<readonly TargetOutcome[]> {
  const outcomes: TargetOutcome[] = [];
  for (const [index, target] of targets.entries()) {
    const outcome = planned[index] as TargetOutcome;
    if (isPlanShown(flags)) io.out(planText(outcome, outOptions(flags, io)));
    outcomes.push(await judge(outcome, target, flags, io));
  }
  const refused = await refusal(outcomes, targets, flags, io);
  return refused === undefined
    ? outcomes
    : outcomes.map((outcome) => (hasWork(outcome) ? { ...outcome, ...refused } : outcome));
}

function hasWork(outcome: TargetOutcome): outcome is TargetOutcome & { readonly plan: Plan } {
  return outcome.exit === EXIT.done && outcome.plan !== undefined && outcome.plan.changes.length > 0;
}

/** Asks once for all that has work. What is no yes is shown, and ends each target that was asked about. */
async function refusal(
  outcomes: readonly TargetOutcome[],
  targets: readonly Target[],
  flags: Flags,
  io: Io,
): Promise<Pick<TargetOutcome, 'exit' | 'error'> | undefined> {
  const asked = targets.flatMap((target, index) => {
    const outcome = outcomes[index];
    return outcome !== undefined && hasWork(outcome) ? [{ plan: outcome.plan, io: target.io }] : [];
  });
  if (asked.length === 0) return undefined;
  const text = (options: RenderOptions): string =>
    outcomes.map((outcome) => planText(outcome, options)).join('');
  try {
    await askAbout(asked, text, flags, io);
    return undefined;
  } catch (error) {
    await tellError(error, io);
    return { exit: showError(error, { format: 'human', color: flags.color }, io), error };
  }
}

/** Tells of the plan of a target; what a guard refuses has failed. */
async function judge(outcome: TargetOutcome, target: Target, flags: Flags, io: Io): Promise<TargetOutcome> {
  const { plan } = outcome;
  if (plan === undefined) return outcome;
  await tellPlan(plan, io);
  const error = guardError(plan.guards);
  return error === undefined ? outcome : { ...(await failed(target, error, flags, io)), plan };
}

function planText(outcome: TargetOutcome, options: RenderOptions): string {
  return outcome.plan === undefined ? '' : targetHeading(outcome, options) + planHuman(outcome.plan, options);
}

async function apply(
  { name, io: own, config, work }: Opened,
  flags: Flags,
  signal: AbortSignal,
): Promise<TargetOutcome> {
  const { plan, connection } = work;
  const carried =
    plan.changes.length === 0
      ? undefined
      : await carryOutInSight(work, flags, own, signal, (how) => applyMade(plan, how));
  await tellUnwatched(config, connection, flags, own);
  const result = carried?.result ?? nothingToDo(plan, connection);
  return { name, plan, result, exit: carried === undefined ? EXIT.done : exitOf(carried) };
}
