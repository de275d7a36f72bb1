/** Documents in each medium, with default options. */

import type { Problem } from '../../src/model/errors.ts';
import { errorDocument, warningsDocument } from '../../src/report/errors.ts';
import { type Format, type FormatOptions, PLAN_FORMATS, RESULT_FORMATS } from '../../src/report/formats.ts';
import { markdownText } from '../../src/report/media/markdown.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import type { RenderOptions } from '../../src/report/text.ts';
import { sha256 } from '../../src/util/node/sha256.ts';

const OPTIONS: FormatOptions = { color: false, width: 80, digest: sha256 };

type Options = Partial<FormatOptions>;

export async function whole<T>(format: Format<T>): Promise<(value: T, options?: Options) => string> {
  const render = await format();
  return (value, options = {}) => [...render(value, { ...OPTIONS, ...options })].join('');
}

export const planHuman = await whole(PLAN_FORMATS.human);
export const planJson = await whole(PLAN_FORMATS.json);
export const planMarkdown = await whole(PLAN_FORMATS.markdown);
export const planHtml = await whole(PLAN_FORMATS.html);
export const resultHuman = await whole(RESULT_FORMATS.human);
export const resultMarkdown = await whole(RESULT_FORMATS.markdown);

export const errorHuman = (error: unknown, options: RenderOptions): string =>
  terminalText(errorDocument(error), options);
export const errorMarkdown = (error: unknown, options: { readonly limit?: number } = {}): string =>
  markdownText(errorDocument(error), options);
export const warningsHuman = (warnings: readonly Problem[], options: RenderOptions): string =>
  terminalText(warningsDocument(warnings), options);
