/** GitHub Actions: annotations at the YAML lines, and the step summary. Elsewhere nothing is told. */
import { appendFileSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Plan } from '../../model/plan.ts';
import type { Result } from '../../model/run.ts';
import type { Here } from '../../render/plan/secrets.ts';
import type { Applied } from '../../render/result/applied.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import type { Io } from './io.ts';

/** Tells of a plan. */
export async function tellPlan(plan: Plan, io: Io, here: Here = {}): Promise<void> {
  if (!isOnGitHub(io)) return;
  const { annotations, driftAnnotations, planAnnotations } = await import('../../render/annotations.ts');
  const { planMarkdown } = await import('../../render/plan/markdown.ts');
  const all = here.drift === undefined ? planAnnotations(plan) : driftAnnotations(plan, here);
  const commands = annotations(all, folderOf(io), plan.service.target);
  tell(commands, planMarkdown(plan, { ...here, limit: LONGEST_PLAN }), io);
}

/** What is known of a result beside it: which target it is of, if of one, and which changes were applied. */
export type Known = Applied & { readonly target?: string | undefined };

/** Tells of a result. */
export async function tellResult(result: Result, io: Io, known: Known): Promise<void> {
  if (!isOnGitHub(io)) return;
  const { annotations, resultAnnotations } = await import('../../render/annotations.ts');
  const { resultMarkdown } = await import('../../render/result/markdown.ts');
  const commands = annotations(resultAnnotations(result), folderOf(io), known.target);
  tell(commands, resultMarkdown(result, known), io);
}

/** Tells of an error; and of which target it is, if of one. */
export async function tellError(error: unknown, io: Io, target?: string): Promise<void> {
  if (!isOnGitHub(io)) return;
  const { annotations, errorAnnotations } = await import('../../render/annotations.ts');
  const { errorMarkdown } = await import('../../render/error-markdown.ts');
  const commands = annotations(errorAnnotations(error), folderOf(io), target);
  tell(commands, errorMarkdown(error, { target }), io);
}

function isOnGitHub({ env }: Io): boolean {
  return env.GITHUB_ACTIONS === 'true';
}

/** The working folder as seen from the repository that the job checked out; `''` where it is not in there. */
function folderOf({ cwd, env }: Io): string {
  const way = relative(env.GITHUB_WORKSPACE || cwd, cwd).split(sep);
  return way[0] === '..' ? '' : way.join('/');
}

/** Annotations go to standard error: standard output is a document's. */
function tell(commands: string, markdown: string, io: Io): void {
  io.err(commands);
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (!summary) return;
  try {
    addToSummary(summary, withoutKeys(markdown));
  } catch (error) {
    io.err(`The step summary was not written: ${(error as Error).message}\n`);
  }
}

/** Of a step with more, GitHub shows none. */
const LARGEST_SUMMARY = 1024 * 1024;
/** In characters, of up to three bytes: there is room for a result too. */
const LONGEST_PLAN = 256 * 1024;

/** Looks and writes in one go: targets are told of side by side. */
function addToSummary(summary: string, markdown: string): void {
  const size = statSync(summary, { throwIfNoEntry: false })?.size ?? 0;
  if (size + Buffer.byteLength(markdown) > LARGEST_SUMMARY) {
    throw new Error('it would exceed 1 MiB, the limit of GitHub');
  }
  appendFileSync(summary, markdown);
}
