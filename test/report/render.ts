/** Documents in each medium, with options that a test need not name. */
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { type Options, PLAN_FORMATS, RESULT_FORMATS } from '../../src/report/formats.ts';
import { sha256 } from '../../src/util/node/sha256.ts';

const OPTIONS: Options = { color: false, width: 80, digest: sha256 };

const [markdown, html] = [await PLAN_FORMATS.markdown(), await PLAN_FORMATS.html()];
export const planMarkdown = (plan: Plan, options: Partial<Options> = {}): string =>
  markdown(plan, { ...OPTIONS, ...options });
export const planHtml = (plan: Plan, options: Partial<Options> = {}): string =>
  html(plan, { ...OPTIONS, ...options });

const comment = await RESULT_FORMATS.markdown();
export const resultMarkdown = (result: Result, options: Partial<Options> = {}): string =>
  comment(result, { ...OPTIONS, ...options });
