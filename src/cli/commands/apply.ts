import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { freshPlan } from '../../sync/plan.ts';
import { carryOut } from '../apply.ts';
import { usageError } from '../argv/flags.ts';
import { rootOf } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { type Flags, variableOf } from '../options.ts';
import { allowed, prepare, serviceSettings } from '../session.ts';

/** Options that an existing plan no longer takes. */
const PLANNING_FLAGS = [
  'file',
  'prune',
  'domain',
  'exclude',
  'group',
  'resend-passwords',
  'since',
  'only',
  'fail-on-drift',
] as const;

export default async function run(
  flags: Flags<'apply'>,
  io: Io,
  [planFile]: readonly string[],
): Promise<ExitCode> {
  if (planFile === undefined) return applyFiles(flags, io);
  const first = PLANNING_FLAGS.find((name) => flags[name] !== undefined);
  if (first !== undefined) {
    const name = first === 'resend-passwords' ? `--${first}` : `--${first} (${variableOf(first)})`;
    throw usageError(`${name} cannot be used with a saved plan.`, 'Omit it, or plan again.');
  }
  return applyFile(planFile, flags, io);
}

async function applyFiles(flags: Flags<'apply'>, io: Io): Promise<ExitCode> {
  if (flags['skip-stale']) {
    throw usageError('--skip-stale can only be used with a saved plan.', 'Omit it.');
  }
  const { planning, settings } = await prepare(flags, io, RESULT_FORMATS);
  const { secrets } = planning.config;
  return carryOut(freshPlan(planning), { ...settings, secrets }, flags, io);
}

async function applyFile(file: string, flags: Flags<'apply'>, io: Io): Promise<ExitCode> {
  checkOutputs(flags, [{ path: file }], RESULT_FORMATS, io);
  const { readPlan, savedPlan, surroundingsOf } = await import('../../sync/saved-plan.ts');
  const saved = await readPlan(file, io);
  const { target } = saved.service;
  if (flags.target !== undefined && flags.target !== target) {
    const own = target === undefined ? 'no target' : `the target ${target}`;
    throw usageError(`The plan was made for ${own}, and not for ${flags.target}.`, 'Omit the flag.');
  }
  const found = await surroundingsOf(saved, file, flags['allow-path'] ?? [], io);
  const around = { ...found, root: rootOf(flags, found, io) };
  const { secrets } = around;
  const source = savedPlan(saved, secrets, allowed(flags));
  // A plan file is the approval (decision: "A saved plan is applied as approved").
  const approved = { ...flags, 'auto-approve': true };
  return carryOut(source, { ...serviceSettings(flags, around, io), secrets }, approved, io);
}
