import { WebsitesError } from '../model/errors.ts';
import type { Digest, Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { canonicalJson, LONG_LISTS } from '../planner/plan-file/write.ts';
import type { Document } from './document.ts';
import { jsonDocument, jsonLine, jsonPieces } from './json.ts';
import type { MarkdownOptions } from './media/markdown.ts';
import { terminalPieces } from './media/terminal.ts';
import { type Here, planDocument } from './plan.ts';
import { type Context, resultDocument } from './result.ts';
import type { RenderOptions } from './text.ts';

export type FormatOptions = RenderOptions & MarkdownOptions & Here & Context & { readonly digest: Digest };

/** Renders a value as pieces of text, which must be written unchanged. The last piece ends in a line end. */
export type Format<T> = (value: T, options: FormatOptions) => Promise<Iterable<string>>;

const MEDIA = {
  human: async (document, options) => terminalPieces(document, options),
  markdown: async (document, options) => [
    (await import('./media/markdown.ts')).markdownText(document, options),
  ],
  html: async (document, { digest }) => [(await import('./media/html.ts')).htmlText(document, digest)],
} as const satisfies Record<string, Format<Document>>;

const format =
  <T>(medium: keyof typeof MEDIA, documentOf: (value: T, options: FormatOptions) => Document): Format<T> =>
  (value, options) =>
    MEDIA[medium](documentOf(value, options), options);

export const PLAN_FORMATS = {
  human: format('human', planDocument),
  json: async (plan) => planJson(plan),
  markdown: format('markdown', planDocument),
  diff: async (plan, options) => [(await import('./plan-diff.ts')).planDiff(plan, options)],
  html: format('html', planDocument),
  /**
   * For the merge request widget of GitLab (`artifacts:reports:terraform`). Guests may read it, so it has only
   * counts.
   */
  gitlab: async ({ summary }) => [
    jsonLine({ create: summary.create, update: summary.update, delete: summary.delete }),
  ],
} as const satisfies Record<string, Format<Plan>>;

export type PlanFormat = keyof typeof PLAN_FORMATS;

/** The plan document `websites.plan/1` (decision: "Formats and exit codes are a contract"). */
export function planJson(plan: Plan): Iterable<string> {
  return jsonPieces(plan, LONG_LISTS, canonicalJson);
}

export const RESULT_FORMATS = {
  human: format('human', resultDocument),
  json: async (result) => [jsonDocument(result)],
  markdown: format('markdown', resultDocument),
  html: format('html', resultDocument),
} as const satisfies Record<string, Format<Result>>;

export type ResultFormat = keyof typeof RESULT_FORMATS;

/** By default without colors and in 100 columns. */
export type View = { readonly color?: boolean | undefined; readonly width?: number | undefined };

/** Renders a value in the format `name`. Throws `usage` for an unknown format. */
export async function renderAs<T, Name extends string>(
  formats: Readonly<Record<Name, Format<T>>>,
  name: Name,
  value: T,
  { color = false, width = 100, digest }: View & Pick<FormatOptions, 'digest'>,
): Promise<string> {
  if (Object.hasOwn(formats, name))
    return [...(await formats[name](value, { color, width, digest }))].join('');
  throw new WebsitesError('usage', `format must be one of ${Object.keys(formats).join(', ')}.`);
}
