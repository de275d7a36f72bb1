import { RESULT_FORMATS } from '../../report/formats.ts';
import { freshPlan } from '../../sync/plan.ts';
import { applySource } from '../apply-source.ts';
import { usageError } from '../argv/flags.ts';
import { loadOptions } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { type CommandMain, type Flags, isApproval, optionsOf, variableOf } from '../options.ts';
import { allowed, prepare, serviceSettings } from '../settings.ts';

/** Flags that a saved plan does not accept, in addition to the flags that select records. */
const PLANNED = ['file', 'resendPasswords', 'failOnDrift'];

export default (async (flags, io, [planFile]) => {
  if (planFile !== undefined) return applyFile(planFile, flags, io);
  if (flags.skipStale)
    throw usageError('--skip-stale can only be used with a saved plan.', 'Omit --skip-stale.');
  const { planning, settings } = await prepare(flags, io, RESULT_FORMATS);
  return applySource(freshPlan(planning), settings, flags, io);
}) satisfies CommandMain<'apply'>;

async function applyFile(file: string, flags: Flags<'apply'>, io: Io) {
  const given: Readonly<Record<string, unknown>> = flags;
  const first = optionsOf('apply').find(
    ({ key, group }) => (group === 'Selection' || PLANNED.includes(key)) && given[key] !== undefined,
  );
  if (first !== undefined) {
    const variable = isApproval(first) ? '' : ` (${variableOf(first.name)})`;
    throw usageError(
      `--${first.name}${variable} cannot be used with a saved plan.`,
      'Omit it, or plan again.',
    );
  }
  await checkOutputs(flags, [{ path: file }], RESULT_FORMATS, io);
  const { readPlan, savedPlan, configOfPlan } = await import('../../sync/saved-plan.ts');
  const plan = await readPlan(file, io);
  const { target } = plan.service;
  if (flags.target !== undefined && flags.target !== target) {
    const own = target === undefined ? 'no target' : `the target ${target}`;
    throw usageError(`The plan was made for ${own}, and not for ${flags.target}.`, 'Omit --target.');
  }
  const config = await configOfPlan(plan, file, loadOptions(flags, io));
  const source = savedPlan(plan, config.resolveSecret, allowed(flags));
  // Needs no confirmation: the plan file was approved (decision: "A saved plan is applied as approved").
  return applySource(source, serviceSettings(config, flags, io), { ...flags, autoApprove: true }, io);
}
