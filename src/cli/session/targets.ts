/** One command on all targets of the files, side by side; what fails on one does not stop the others. */
import { inParallel } from '../../client/parallel.ts';
import { loadTargets } from '../../config/load.ts';
import { EXIT, type ExitCode, worstExit } from '../../model/errors.ts';
import { type TargetOutcome, targetHeading, targetsJson, targetsSummary } from '../../render/targets.ts';
import { type FlagValues, usageError, variableOf } from '../argv/flags.ts';
import type { COMPARE_FLAGS } from '../argv/shared-flags.ts';
import { type Io, withOwn } from '../io/io.ts';
import { outOptions, showError } from '../io/output.ts';
import type { SurfaceFlags } from '../io/plan-output.ts';
import type { OutputFlags } from '../io/reports.ts';
import { summarizeError } from '../io/step-summary.ts';
import { systemTiming, withProgress } from '../progress/progress.ts';
import { checkSince, loadOptions } from './settings.ts';

/** So many targets are at work at once. */
const SIDE_BY_SIDE = 4;

export type AllFlags = FlagValues<typeof COMPARE_FLAGS> & SurfaceFlags & OutputFlags;

/** What is of one target, or of one plan. */
const ONE = ['target', 'base-url', 'api-key-file', 'out', 'report'] as const;

/** A target with surroundings of its own: what is said of it on standard error names it, and so does its progress. */
export interface Target {
  readonly name: string;
  readonly io: Io;
}

/**
 * Does `work` with all targets. Throws `usage` where there are none, or where the flags are for one, and
 * `revision-missing`, which is so for all of them.
 */
export async function withTargets(
  flags: AllFlags,
  io: Io,
  work: (targets: readonly Target[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { quiet = false, verbose = false } = flags;
  const targets = (await namesOf(flags, io)).map((name) => {
    const own = withProgress(ioOf(io, name), systemTiming);
    own.progress.begin({ quiet, verbose, streams: false });
    return { name, io: own };
  });
  try {
    return await work(targets);
  } finally {
    for (const target of targets) target.io.progress.end();
  }
}

async function namesOf(flags: AllFlags, io: Io): Promise<readonly string[]> {
  const one = ONE.find((name) => flags[name] !== undefined);
  if (one !== undefined) {
    const name = `--${one} (${variableOf(one)})`;
    throw usageError(`${name} cannot be combined with --all-targets.`, 'Remove one of them.');
  }
  if (!['human', 'json'].includes(flags.format ?? 'human')) {
    throw usageError(`--format ${flags.format} is for one target.`, 'Use human or json with --all-targets.');
  }
  checkSince(flags);
  const { targets } = await loadTargets(loadOptions(flags, io));
  if (targets.length === 0) throw usageError('The configuration declares no targets.', 'Omit --all-targets.');
  if (flags.since !== undefined) {
    const { checkRevision } = await import('../../sync/revision.ts');
    await checkRevision(flags.since, io.cwd);
  }
  return targets.map(({ name }) => name);
}

/** `io` for one of several targets: each line on standard error names it, and none is a bar. */
function ioOf(io: Io, name: string): Io {
  return withOwn(io, {
    err: (text) => io.err(text.replace(/^(?=.)/gm, `[${name}] `)),
    barColumns: undefined,
  });
}

/** Works on each target; gives the outcomes in their order. `io` is that of the command. */
export async function sideBySide<T extends Target>(
  targets: readonly T[],
  flags: AllFlags,
  io: Io,
  work: (target: T) => Promise<TargetOutcome>,
): Promise<readonly TargetOutcome[]> {
  const outcomes: TargetOutcome[] = [];
  await inParallel(targets.entries(), SIDE_BY_SIDE, async ([index, target]) => {
    outcomes[index] = await work(target).catch((error) => failed(target, error, flags, io));
  });
  return outcomes;
}

/** The outcome of a target that an error ended, which is shown. */
export async function failed(
  target: Target,
  error: unknown,
  flags: AllFlags,
  io: Io,
): Promise<TargetOutcome> {
  await summarizeError(error, io, target.name);
  const exit = showError(error, { format: 'human', color: flags.color }, target.io);
  return { name: target.name, exit, error };
}

/** Shows what became of them, `text` being what a person is told of one; returns the exit code of all. */
export function showOutcomes(
  outcomes: readonly TargetOutcome[],
  text: (outcome: TargetOutcome) => string | undefined,
  flags: AllFlags,
  io: Io,
): ExitCode {
  const exit = worstExit(outcomes.map((outcome) => outcome.exit));
  if (flags.format === 'json') {
    io.out(targetsJson(outcomes, exit));
    return exit;
  }
  const options = outOptions(flags, io);
  const told = outcomes.map((outcome) => {
    const own = text(outcome);
    return own === undefined ? '' : targetHeading(outcome, options) + own;
  });
  // Where nothing is worth a word, a count of it is none either.
  if (exit !== EXIT.done || told.some((own) => own !== ''))
    io.out(told.join('') + targetsSummary(outcomes, options));
  return exit;
}
