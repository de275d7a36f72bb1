/** Planning for all targets. */
import type { ExitCode } from '../../core/errors.ts';
import type { Plan } from '../../core/plan.ts';
import { planHuman } from '../../render/plan/human.ts';
import { withConnection } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import type { FlagValues } from '../flags.ts';
import { tellPlan } from '../github.ts';
import type { Io } from '../io.ts';
import { outOptions } from '../output.ts';
import { prepare } from '../prepare.ts';
import type { PLAN_FLAGS, SINCE_FLAGS } from '../shared-flags.ts';
import { type AllFlags, showOutcomes, sideBySide, type Target, withTargets } from './targets.ts';

export type PlanAllFlags = AllFlags & FlagValues<typeof PLAN_FLAGS & typeof SINCE_FLAGS>;

/** Plans for each target and shows the plans that `isWorthShowing`; `exitOf` says what one of them comes to. */
export async function planAll(
  flags: PlanAllFlags,
  io: Io,
  exitOf: (plan: Plan) => ExitCode,
  isWorthShowing: (plan: Plan) => boolean = () => true,
): Promise<ExitCode> {
  const text = ({ plan }: { readonly plan?: Plan }): string | undefined =>
    plan !== undefined && isWorthShowing(plan) ? planHuman(plan, outOptions(io, flags)) : undefined;
  return withTargets(flags, io, async (targets) => {
    const outcomes = await sideBySide(targets, flags, io, async (target) => {
      const plan = await planFor(target, flags);
      return { name: target.name, plan, exit: exitOf(plan) };
    });
    for (const { plan } of outcomes) if (plan !== undefined) await tellPlan(plan, io);
    return showOutcomes(outcomes, text, flags, io);
  });
}

async function planFor({ name, io: own }: Target, flags: PlanAllFlags): Promise<Plan> {
  const { config, options, earlier, settings } = await prepare({ ...flags, 'target-name': name }, own);
  return withConnection(settings, (connection) =>
    planOnce(config, connection, options, { earlier, toSave: true }),
  );
}
