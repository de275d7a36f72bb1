/** Planning for all targets. */
import type { ExitCode } from '../../core/errors.ts';
import type { Plan } from '../../core/plan.ts';
import { planHuman } from '../../render/plan/human.ts';
import { withConnection } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import { tellPlan } from '../github.ts';
import type { Io } from '../io.ts';
import { outOptions } from '../output.ts';
import { prepare } from '../prepare.ts';
import { type AllFlags, showOutcomes, sideBySide, type Target, withTargets } from './targets.ts';

/** Plans for each target and shows the plans that `isWorthShowing`; `exitOf` says what one of them comes to. */
export async function planAll(
  flags: AllFlags,
  io: Io,
  exitOf: (plan: Plan) => ExitCode,
  isWorthShowing: (plan: Plan) => boolean = () => true,
): Promise<ExitCode> {
  const text = ({ plan }: { readonly plan?: Plan }): string | undefined =>
    plan !== undefined && isWorthShowing(plan) ? planHuman(plan, outOptions(flags, io)) : undefined;
  return withTargets(flags, io, async (targets) => {
    const outcomes = await sideBySide(targets, flags, io, async (target) => {
      const plan = await planFor(target, flags);
      return { name: target.name, plan, exit: exitOf(plan) };
    });
    for (const { plan } of outcomes) if (plan !== undefined) await tellPlan(plan, io);
    return showOutcomes(outcomes, text, flags, io);
  });
}

async function planFor({ name, io: own }: Target, flags: AllFlags): Promise<Plan> {
  const { config, options, earlier, settings } = await prepare({ ...flags, 'target-name': name }, own);
  return withConnection(settings, (connection) =>
    planOnce(config, connection, options, { earlier, toSave: true }),
  );
}
