import type { Digest, Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { LONG_LISTS, planLines } from '../planner/plan-file/write.ts';
import type { Document } from './document.ts';
import { jsonDocument, jsonLine, jsonPieces } from './json.ts';
import type { MarkdownOptions } from './media/markdown.ts';
import { terminalPieces } from './media/terminal.ts';
import { type Here, planDocument } from './plan.ts';
import type { Context } from './result.ts';
import type { RenderOptions } from './text.ts';

export type FormatOptions = RenderOptions & MarkdownOptions & Here & Context & { readonly digest: Digest };

/** Loads a renderer whose text, in pieces, ends in a line break and can be written unchanged. */
export type Format<T> = () => Promise<(value: T, options: FormatOptions) => Iterable<string>>;

const MEDIA = {
  human: async () => terminalPieces,
  markdown: async () => {
    const { markdownText } = await import('./media/markdown.ts');
    return (document, options) => [markdownText(document, options)];
  },
  html: async () => {
    const { htmlText } = await import('./media/html.ts');
    return (document, { digest }) => [htmlText(document, digest)];
  },
} as const satisfies Record<string, Format<Document>>;

function inMedium<T>(
  medium: keyof typeof MEDIA,
  load: () => Promise<(value: T, options: FormatOptions) => Document>,
): Format<T> {
  return async () => {
    const [documentOf, render] = await Promise.all([load(), MEDIA[medium]()]);
    return (value, options) => render(documentOf(value, options), options);
  };
}

const loadPlan = async () => planDocument;

export const PLAN_FORMATS = {
  human: inMedium('human', loadPlan),
  json: async () => planJson,
  markdown: inMedium('markdown', loadPlan),
  diff: async () => {
    const { planDiff } = await import('./plan-diff.ts');
    return (plan, options) => [planDiff(plan, options)];
  },
  html: inMedium('html', loadPlan),
  gitlab: async () => planGitlab,
} as const satisfies Record<string, Format<Plan>>;

export type PlanFormat = keyof typeof PLAN_FORMATS;

/** The plan document `websites.plan/1` (decision: "Formats and exit codes are a contract"). */
export function planJson(plan: Plan): Iterable<string> {
  return jsonPieces(plan, LONG_LISTS, planLines);
}

/** GitLab's merge-request widget (`artifacts:reports:terraform`): counts alone, since guests may read it. */
function planGitlab({ summary }: Plan): Iterable<string> {
  return [jsonLine({ create: summary.create, update: summary.update, delete: summary.delete })];
}

const loadResult = async () => (await import('./result.ts')).resultDocument;

export const RESULT_FORMATS = {
  human: inMedium('human', loadResult),
  json: async () => (result) => [jsonDocument(result)],
  markdown: inMedium('markdown', loadResult),
  html: inMedium('html', loadResult),
} as const satisfies Record<string, Format<Result>>;
