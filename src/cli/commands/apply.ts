import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { planOnce } from '../../sync/plan.ts';
import { afterEarlierRuns, openSession } from '../../sync/session.ts';
import { carryOut, openingOf } from '../apply.ts';
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
  const { config, options, extras, settings } = await prepare(flags, io, RESULT_FORMATS);
  const source = afterEarlierRuns(async (connection) => ({
    plan: await planOnce(config, connection, options, extras),
  }));
  return carryOut(await openSession(source, config, openingOf(settings, flags, io)), flags, io);
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
  const opening = { ...openingOf(serviceSettings(flags, around, io), flags, io), onlyLooks: false };
  const source = savedPlan(saved, around, allowed(flags));
  return carryOut(await openSession(source, around, opening), flags, io);
}
