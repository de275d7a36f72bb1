/** Applying to all targets: planned side by side, asked about once, carried out side by side. */
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { guardError } from '../../planner/guards.ts';
import { planHuman } from '../../render/plan/human.ts';
import { resultHuman } from '../../render/result/human.ts';
import { type TargetOutcome, targetHeading } from '../../render/targets.ts';
import type { RenderOptions } from '../../render/text.ts';
import { apply, exitOf, nothingToDo } from '../../sync/apply.ts';
import { takeInterrupts } from '../io/interrupt.ts';
import type { Io } from '../io/io.ts';
import { outOptions, showError } from '../io/output.ts';
import { summarizeError, summarizePlan, summarizeResult } from '../io/step-summary.ts';
import { type Opened, openApply } from '../session/open-apply.ts';
import { type AllFlags, showOutcomes, sideBySide, type Target, withTargets } from '../session/targets.ts';
import { askAbout, isPlanShown, tellBlocked } from './approve.ts';
import { type CarryOutFlags, settingsInSight } from './run-and-report.ts';

type AllTargetsFlags = AllFlags & CarryOutFlags;

type OpenedTarget = Opened & Target;
/** The targets that are planned for and locked, by name. */
type AllOpened = ReadonlyMap<string, OpenedTarget>;

/** Plans, asks once, applies. A target that fails, or that a guard refuses, does not stop the others. */
export function applyAll(flags: AllTargetsFlags, io: Io): Promise<ExitCode> {
  return withTargets(flags, io, async (targets) => {
    const opened = new Map<string, OpenedTarget>();
    try {
      const planned = await sideBySide(targets, flags, io, async (target) => {
        const { name, io: own } = target;
        const found = await openApply({ ...flags, target: name }, own);
        opened.set(name, { ...target, ...found });
        return { name, plan: found.session.plan, here: found.here, exit: EXIT.done };
      });
      const outcomes = await applyTo(opened, planned, flags, io);
      for (const { result, name } of outcomes)
        if (result !== undefined) await summarizeResult(result, io, { target: name });
      const text = ({ result }: TargetOutcome): string | undefined =>
        result && resultHuman(result, outOptions(flags, io));
      return showOutcomes(outcomes, text, flags, io);
    } finally {
      await Promise.all([...opened.values()].map((target) => target.session.close()));
    }
  });
}

/** Asks, and applies what may be applied; the outcomes are in the order of those that were `planned`. */
async function applyTo(
  opened: AllOpened,
  planned: readonly TargetOutcome[],
  flags: AllTargetsFlags,
  io: Io,
): Promise<readonly TargetOutcome[]> {
  const approved = await approve(opened, planned, flags, io);
  const yes = approved.filter(({ exit }) => exit === EXIT.done);
  const ready = ofOutcomes(yes, opened);
  const { signal, end } = takeInterrupts();
  const applying = sideBySide(ready, flags, io, (target) => applyTarget(target, flags, signal));
  const applied = await applying.finally(end);
  return approved.map((outcome) => applied.find(({ name }) => name === outcome.name) ?? outcome);
}

/** The targets that `outcomes` are of, as far as they could be opened. */
function ofOutcomes(outcomes: readonly TargetOutcome[], opened: AllOpened): readonly OpenedTarget[] {
  return outcomes.flatMap(({ name }) => opened.get(name) ?? []);
}

/** Shows the plans and asks; what a guard or the answer refuses comes back with its exit code. */
async function approve(
  opened: AllOpened,
  planned: readonly TargetOutcome[],
  flags: AllTargetsFlags,
  io: Io,
): Promise<readonly TargetOutcome[]> {
  const outcomes: TargetOutcome[] = [];
  for (const outcome of planned) {
    if (isPlanShown(flags)) io.out(planText(outcome, outOptions(flags, io)));
    const target = opened.get(outcome.name);
    outcomes.push(target === undefined ? outcome : await judge(target, flags, io));
  }
  const refused = await refusal(outcomes, opened, flags, io);
  return refused === undefined
    ? outcomes
    : outcomes.map((outcome) => (hasWork(outcome) ? { ...outcome, ...refused } : outcome));
}

function hasWork({ exit, plan }: TargetOutcome): boolean {
  return exit === EXIT.done && plan !== undefined && plan.changes.length > 0;
}

/** Asks once for all that has work. What is no yes is shown, and ends each target that was asked about. */
async function refusal(
  outcomes: readonly TargetOutcome[],
  opened: AllOpened,
  flags: AllTargetsFlags,
  io: Io,
): Promise<Pick<TargetOutcome, 'exit' | 'error'> | undefined> {
  const withWork = ofOutcomes(outcomes.filter(hasWork), opened);
  const asked = withWork.map(({ session }) => session.plan);
  if (asked.length === 0) return undefined;
  const text = (options: RenderOptions): string =>
    outcomes.map((outcome) => planText(outcome, options)).join('');
  try {
    await askAbout(asked, text, flags, io);
    return undefined;
  } catch (error) {
    await summarizeError(error, io);
    return { exit: showError(error, { format: 'human', color: flags.color }, io), error };
  }
}

/** Tells of the plan of a target; what a guard refuses has failed. */
async function judge(target: OpenedTarget, flags: AllTargetsFlags, io: Io): Promise<TargetOutcome> {
  const { plan } = target.session;
  const { here } = target;
  await summarizePlan(plan, io, here);
  const error = guardError(plan.guards);
  if (error === undefined) return { name: target.name, plan, here, exit: EXIT.done };
  return { name: target.name, plan, here, error, exit: tellBlocked(error, flags, target.io, 'human') };
}

function planText(outcome: TargetOutcome, options: RenderOptions): string {
  const { plan, here } = outcome;
  return plan === undefined ? '' : targetHeading(outcome, options) + planHuman(plan, { ...options, ...here });
}

async function applyTarget(
  { name, io: own, session }: OpenedTarget,
  flags: AllTargetsFlags,
  signal: AbortSignal,
): Promise<TargetOutcome> {
  const { plan, connection } = session;
  const isNothing = plan.changes.length === 0;
  const carried = isNothing ? undefined : await apply(session, settingsInSight(session, flags, own, signal));
  const result = carried?.result ?? nothingToDo(plan, connection);
  return { name, plan, result, exit: carried === undefined ? EXIT.done : exitOf(carried) };
}
