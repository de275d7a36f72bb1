/** The step summary of GitHub Actions. Elsewhere nothing is written. */
import { appendFileSync, statSync } from 'node:fs';
import type { Plan } from '../../model/plan.ts';
import type { Result } from '../../model/run.ts';
import type { Here } from '../../report/plan/secrets.ts';
import type { Applied } from '../../report/result/applied.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import type { Io } from './io.ts';

/** Of a step with more, GitHub shows none. */
const MAX_SUMMARY = 1024 * 1024;
/** In characters, of up to three bytes: there is room for a result too. */
const MAX_PLAN = 256 * 1024;

export async function summarizePlan(plan: Plan, io: Io, here: Here = {}): Promise<void> {
  await addToSummary(io, async () => {
    const { planMarkdown } = await import('../../report/plan/markdown.ts');
    return planMarkdown(plan, { ...here, limit: MAX_PLAN });
  });
}

/** Facts about a result that are not in it: its target, if it has one, and the changes that were applied. */
export type Known = Applied & { readonly target?: string | undefined };

export async function summarizeResult(result: Result, io: Io, known: Known): Promise<void> {
  await addToSummary(io, async () => {
    const { resultMarkdown } = await import('../../report/result/markdown.ts');
    return resultMarkdown(result, known);
  });
}

export async function summarizeError(error: unknown, io: Io): Promise<void> {
  await addToSummary(io, async () => {
    const { errorMarkdown } = await import('../../report/error-markdown.ts');
    return errorMarkdown(error);
  });
}

async function addToSummary({ env, err }: Io, markdown: () => Promise<string>): Promise<void> {
  const summary = env.GITHUB_STEP_SUMMARY;
  if (!summary) return;
  const text = withoutKeys(await markdown());
  try {
    const size = statSync(summary, { throwIfNoEntry: false })?.size ?? 0;
    if (size + Buffer.byteLength(text) > MAX_SUMMARY) {
      throw new Error('it would exceed 1 MiB, the limit of GitHub');
    }
    appendFileSync(summary, text);
  } catch (error) {
    err(`The step summary was not written: ${(error as Error).message}\n`);
  }
}
