import type { Problem } from '../../src/model/errors.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { errorDocument, errorRow, warningsDocument } from '../../src/report/errors.ts';
import { type Format, type FormatOptions, planJson as pieces } from '../../src/report/formats.ts';
import { jsonDocument, jsonLine } from '../../src/report/json.ts';
import { htmlText } from '../../src/report/media/html.ts';
import { markdownText } from '../../src/report/media/markdown.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import { planDocument } from '../../src/report/plan.ts';
import { resultDocument } from '../../src/report/result.ts';
import type { RenderOptions } from '../../src/report/text.ts';
import { sha256 } from '../../src/util/node/sha256.ts';

const OPTIONS: FormatOptions = { color: false, width: 80, digest: sha256 };

type Options = Partial<FormatOptions>;

export const whole =
  <T>(format: Format<T>) =>
  async (value: T, options: Options = {}): Promise<string> =>
    [...(await format(value, { ...OPTIONS, ...options }))].join('');

export const planJson = (plan: Plan): string => [...pieces(plan)].join('');
export const planHuman = (plan: Plan, options: Options = {}): string =>
  terminalText(planDocument(plan, options), { ...OPTIONS, ...options });
export const planMarkdown = (plan: Plan, options: Options = {}): string =>
  markdownText(planDocument(plan, options), options);
export const planHtml = (plan: Plan): string => htmlText(planDocument(plan), sha256);
export const resultHuman = (result: Result, options: Options = {}): string =>
  terminalText(resultDocument(result, options), { ...OPTIONS, ...options });
export const resultMarkdown = (result: Result, options: Options = {}): string =>
  markdownText(resultDocument(result, options), options);

export const errorJson = (error: unknown): string => jsonDocument(errorRow(error));
export const errorLine = (error: unknown): string =>
  jsonLine({ type: 'diagnostic', severity: 'error', ...errorRow(error) });
export const errorHuman = (error: unknown, options: RenderOptions): string =>
  terminalText(errorDocument(error), options);
export const errorMarkdown = (error: unknown, options: { readonly limit?: number } = {}): string =>
  markdownText(errorDocument(error), options);
export const warningsHuman = (warnings: readonly Problem[], options: RenderOptions): string =>
  terminalText(warningsDocument(warnings), options);
