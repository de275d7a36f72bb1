/** Plans and results as text, for a program. */

import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import { PLAN_FORMATS, type PlanFormat, RESULT_FORMATS } from '../report/formats.ts';
import { sha256 } from '../util/node/sha256.ts';
import { check, object, oneOf, whole, yesOrNo } from './checked.ts';

export type { PlanFormat };
export type ResultFormat = keyof typeof RESULT_FORMATS;

export interface RenderSettings {
  /** With the colors of a terminal; without, if not given. */
  readonly color?: boolean | undefined;
  /** Columns; 100 if not given. */
  readonly width?: number | undefined;
}

const PLAN_FORMAT = oneOf(Object.keys(PLAN_FORMATS));
const RESULT_FORMAT = oneOf(Object.keys(RESULT_FORMATS));
const SCHEMA = object<RenderSettings>({ color: yesOrNo, width: whole(1) });

/**
 * A plan as text. What is `json` is what `websites plan --out` writes. No format shows a password. Throws a
 * WebsitesError `usage` for a format or a setting that is none.
 */
export async function renderPlan(
  plan: Plan,
  format: PlanFormat,
  settings: RenderSettings = {},
): Promise<string> {
  check('format', PLAN_FORMAT, format);
  check('settings', SCHEMA, settings);
  // A program may have altered a plan in place: what was written of its lists before is not taken.
  const { changes, orphans } = plan;
  return (await PLAN_FORMATS[format]())(
    { ...plan, changes: [...changes], orphans: [...orphans] },
    optionsOf(settings),
  );
}

/** A result as text. Throws as `renderPlan` does. */
export async function renderResult(
  result: Result,
  format: ResultFormat,
  settings: RenderSettings = {},
): Promise<string> {
  check('format', RESULT_FORMAT, format);
  check('settings', SCHEMA, settings);
  return (await RESULT_FORMATS[format]())(result, optionsOf(settings));
}

/** Reads what `renderPlan(plan, 'json')` has written. Throws `plan-invalid` for anything else, or if it was edited. */
export function readPlan(text: string): Plan {
  return parsePlan(text, 'The text', sha256);
}

function optionsOf({ color = false, width = 100 }: RenderSettings) {
  return { color, width, digest: sha256 };
}
