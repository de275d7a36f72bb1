/**
 * websites-as-code as a library, for scripts that want more than the command line: load → plan → apply → render.
 * Every function reads and writes what the command line does: the same files, journal, lock and guards.
 */
export type { Action, Change, FieldChange } from '../core/change.ts';
export { type ErrorCode, EXIT, type ExitCode, WebsitesError } from '../core/errors.ts';
export type { Guard } from '../core/guards.ts';
export type { Plan } from '../core/plan.ts';
export type { Problem } from '../core/problem.ts';
export type { Failure, Residual, Result, RunEvent } from '../core/run.ts';
export type { DesiredWebsite } from '../core/website.ts';
export { type ApplySettings, apply, type Outcome } from './apply.ts';
export type { Configuration } from './configuration.ts';
export { type LoadOptions, load } from './load.ts';
export { type PlanSettings, plan } from './plan.ts';
export {
  type PlanFormat,
  type RenderSettings,
  type ResultFormat,
  readPlan,
  renderPlan,
  renderResult,
} from './render.ts';
export type { ServiceOptions } from './settings.ts';
