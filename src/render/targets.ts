/** What became of several targets, and which there are. */
import type { ExitCode } from '../model/errors.ts';
import type { ListedTarget, Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { refusals } from '../planner/guards.ts';
import { errorDocument, wordsOf } from './error.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { planJson } from './plan/json.ts';
import type { Here } from './plan/secrets.ts';
import { planCounts } from './plan/words.ts';
import { countsText, isNothing } from './result/words.ts';
import { safe } from './sanitize.ts';
import { count, linedUp, pad, pageOf, type RenderOptions, textOf, widestOf } from './text.ts';
import { differText, viewOf } from './wording.ts';

export const TARGETS_FORMAT = 'websites.targets/1';

/** What became of one target; what it did not come to is missing. */
export interface TargetOutcome {
  readonly name: string;
  readonly exit: ExitCode;
  readonly plan?: Plan;
  /** What is known of the place where the plan is shown. */
  readonly here?: Here;
  readonly result?: Result;
  readonly error?: unknown;
}

/** The line above what is said of one target. */
export function targetHeading({ name, plan }: TargetOutcome, options: RenderOptions): string {
  const { style } = pageOf(options);
  const where = plan === undefined ? '' : style.dim(`  ${safe(plan.service.base_url)}`);
  return `\n${style.strong(`== ${name}`)}${where}\n\n`;
}

/** One line a target, and what they come to. */
export function targetsSummary(outcomes: readonly TargetOutcome[], options: RenderOptions): string {
  const { style } = pageOf(options);
  const width = widestOf(outcomes.map(({ name }) => name));
  const failed = outcomes.filter(({ exit }) => exit !== 0 && exit !== 2).length;
  return `\n${textOf([
    outcomes.map((outcome) => `${pad(outcome.name, width)}  ${outcomeWords(outcome)}`),
    [
      style.strong(
        `${count(outcomes.length, 'target')}${failed === 0 ? '' : `, ${failed} failed or blocked`}.`,
      ),
    ],
  ])}`;
}

function outcomeWords({ plan, here, result, error }: TargetOutcome): string {
  if (result !== undefined) return resultWords(result);
  const planned = plan === undefined ? [] : [planWords(plan, here)];
  const failure = error === undefined ? [] : failureWords(error);
  return [...planned, ...failure].join(', ');
}

function planWords(given: Plan, here: Here = {}): string {
  const { changes, summary, guards } = viewOf(given, here);
  if (here.drift !== undefined) return changes.length === 0 ? 'no drift' : differText(changes);
  if (changes.length === 0) return 'no changes';
  const blocked = refusals(guards).length > 0 ? ', blocked by a guard' : '';
  return `${planCounts(summary)}${blocked}`;
}

function resultWords(result: Result): string {
  if (isNothing(result)) return 'nothing to apply';
  const unproven = result.converged === true ? '' : ', not verified';
  return `${countsText(result)}${unproven}`;
}

/** The error itself is told where it happens, and a guard with the plan. */
function failureWords(error: unknown): string[] {
  const { code } = wordsOf(error);
  return code === 'guard-refused' ? [] : [`failed (${code})`];
}

/** The document `websites.targets/1`: an entry for each target, in the order of the files. */
export function targetsJson(outcomes: readonly TargetOutcome[], exit: ExitCode): string {
  const targets = outcomes.map(({ name, exit: own, plan, result, error }) => ({
    name,
    exit: own,
    service: plan?.service.base_url ?? null,
    ...(plan === undefined || result !== undefined ? {} : { plan: JSON.parse(planJson(plan)) }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: errorDocument(error) }),
  }));
  return jsonDocument({ format: TARGETS_FORMAT, exit, targets });
}

/** One line a target, for a person. */
export function targetListHuman(targets: readonly ListedTarget[]): string {
  if (targets.length === 0) return 'The configuration declares no targets.\n';
  const rows = targets.map(({ name, base_url, files, keySource }) => [
    name,
    safe(base_url ?? 'no address'),
    base_url === 'local' ? 'embedded' : keySource === undefined ? 'no key' : `key: ${safe(keySource)}`,
    files.map((file) => safe(file)).join(', '),
  ]);
  return textOf([linedUp(rows)]);
}

/** A matrix for GitHub Actions, on one line. */
export function targetMatrix(targets: readonly ListedTarget[]): string {
  return jsonLine({
    include: targets.map(({ name, base_url }) => ({ name, ...(base_url === undefined ? {} : { base_url }) })),
  });
}
