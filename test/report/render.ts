/** Documents in each medium, with default options. */

import type { Problem } from '../../src/model/errors.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { errorDocument, warningsDocument } from '../../src/report/errors.ts';
import { type FormatOptions, PLAN_FORMATS, RESULT_FORMATS } from '../../src/report/formats.ts';
import { markdownText } from '../../src/report/media/markdown.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import type { RenderOptions } from '../../src/report/text.ts';
import { sha256 } from '../../src/util/node/sha256.ts';

const OPTIONS: FormatOptions = { color: false, width: 80, digest: sha256 };

const [markdown, html] = [await PLAN_FORMATS.markdown(), await PLAN_FORMATS.html()];
export const planMarkdown = (plan: Plan, options: Partial<FormatOptions> = {}): string =>
  markdown(plan, { ...OPTIONS, ...options });
export const planHtml = (plan: Plan, options: Partial<FormatOptions> = {}): string =>
  html(plan, { ...OPTIONS, ...options });

const [comment, human] = [await RESULT_FORMATS.markdown(), await RESULT_FORMATS.human()];
export const resultHuman = (result: Result, options: Partial<FormatOptions> = {}): string =>
  human(result, { ...OPTIONS, ...options });
export const resultMarkdown = (result: Result, options: Partial<FormatOptions> = {}): string =>
  comment(result, { ...OPTIONS, ...options });

export const errorHuman = (error: unknown, options: RenderOptions): string =>
  terminalText(errorDocument(error), options);
export const errorMarkdown = (error: unknown, options: { readonly limit?: number } = {}): string =>
  markdownText(errorDocument(error), options);
export const warningsHuman = (warnings: readonly Problem[], options: RenderOptions): string =>
  terminalText(warningsDocument(warnings), options);
