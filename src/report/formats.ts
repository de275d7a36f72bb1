import type { Digest, Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { jsonDocument } from './json.ts';
import type { MarkdownOptions } from './markdown.ts';
import { terminalText } from './media/terminal.ts';
import { type Here, planDocument } from './plan.ts';
import { planGitlab, planJson, planJsonPieces } from './plan-json.ts';
import type { Context } from './result.ts';
import type { RenderOptions } from './text.ts';

export type FormatOptions = RenderOptions & MarkdownOptions & Here & Context & { readonly digest: Digest };

/** Loads a renderer whose text ends in a line break and can be written unchanged. */
export type Format<T> = () => Promise<(value: T, options: FormatOptions) => string>;

export const PLAN_FORMATS = {
  human: async () => planHuman,
  json: async () => planJson,
  markdown: async () => {
    const { markdownText } = await import('./media/markdown.ts');
    return (plan, options) => markdownText(planDocument(plan, options), options);
  },
  diff: async () => (await import('./plan-diff.ts')).planDiff,
  html: async () => {
    const { htmlText } = await import('./media/html.ts');
    return (plan, options) => htmlText(planDocument(plan, options), options.digest);
  },
  gitlab: async () => planGitlab,
} as const satisfies Record<string, Format<Plan>>;

export function planHuman(plan: Plan, options: RenderOptions & Here): string {
  return terminalText(planDocument(plan, options), options);
}

export function planNotes(plan: Plan, options: RenderOptions & Here): string {
  return terminalText({ ...planDocument(plan, options), body: [], facts: [] }, options);
}

export type PlanFormat = keyof typeof PLAN_FORMATS;

export async function planPieces(
  plan: Plan,
  format: PlanFormat,
  options: FormatOptions,
): Promise<Iterable<string>> {
  if (format === 'json') return planJsonPieces(plan);
  return [(await PLAN_FORMATS[format]())(plan, options)];
}

export const RESULT_FORMATS = {
  human: async () => {
    const { resultDocument } = await import('./result.ts');
    return (result, options) => terminalText(resultDocument(result, options), options);
  },
  json: async () => jsonDocument,
  markdown: async () => {
    const { resultDocument } = await import('./result.ts');
    const { markdownText } = await import('./media/markdown.ts');
    return (result, options) => markdownText(resultDocument(result, options), options);
  },
  html: async () => {
    const { resultDocument } = await import('./result.ts');
    const { htmlText } = await import('./media/html.ts');
    return (result, options) => htmlText(resultDocument(result, options), options.digest);
  },
} as const satisfies Record<string, Format<Result>>;
