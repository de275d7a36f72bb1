/** Planning for all targets. */
import { missingError, missingSecrets } from '../../apply/changes/payload.ts';
import type { ExitCode } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { planHuman } from '../../render/plan/human.ts';
import type { TargetOutcome } from '../../render/targets.ts';
import type { AsDrift } from '../../render/wording.ts';
import { withConnection } from '../../sync/connect.ts';
import { planOnce } from '../../sync/plan.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import { tellUnset } from '../io/plan-output.ts';
import { summarizePlan } from '../io/step-summary.ts';
import { prepare } from '../session/prepare.ts';
import {
  type AllFlags,
  failed,
  showOutcomes,
  sideBySide,
  type Target,
  withTargets,
} from '../session/targets.ts';

interface RequireFlags {
  /** What a plan needs and is not set here is an error of its target. */
  readonly 'require-secrets'?: boolean | undefined;
}

interface PlanAllOptions extends AsDrift {
  readonly isWorthShowing?: (plan: Plan) => boolean;
}

/** Plans for each target and shows the plans that `isWorthShowing`; `exitOf` says what one of them comes to. */
export async function planAll(
  flags: AllFlags & RequireFlags,
  io: Io,
  exitOf: (plan: Plan) => ExitCode,
  { isWorthShowing = () => true, drift }: PlanAllOptions = {},
): Promise<ExitCode> {
  const text = ({ plan, here }: Pick<TargetOutcome, 'plan' | 'here'>): string | undefined =>
    plan !== undefined && isWorthShowing(plan)
      ? planHuman(plan, { ...outOptions(flags, io), ...here })
      : undefined;
  return withTargets(flags, io, async (targets) => {
    const outcomes = await sideBySide(targets, flags, io, async (target) => {
      const { plan, missing } = await planFor(target, flags, drift !== undefined);
      const here = { unset: missing, drift };
      tellUnset(plan, flags, target.io, here);
      const error = flags['require-secrets'] ? missingError(missing) : undefined;
      return error === undefined
        ? { name: target.name, plan, here, exit: exitOf(plan) }
        : { ...(await failed(target, error, flags, io)), plan, here };
    });
    for (const { plan, here } of outcomes) if (plan !== undefined) await summarizePlan(plan, io, here);
    return showOutcomes(outcomes, text, flags, io);
  });
}

async function planFor({ name, io: own }: Target, flags: AllFlags, readsAll: boolean) {
  const { config, options, extras, settings } = await prepare({ ...flags, target: name }, own);
  return withConnection(settings, async (connection) => {
    const plan = await planOnce(config, connection, options, { ...extras, toSave: true, readsAll });
    return { plan, missing: await missingSecrets(plan.changes, config.secrets.resolve) };
  });
}
