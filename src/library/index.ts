/**
 * websites-as-code as a library, for scripts that want more than the command line: load → plan → apply → render.
 * Every function reads and writes what the command line does: the same files, journal, lock and guards.
 */
export type {
  Action,
  Change,
  Create,
  Delete,
  FieldChange,
  FieldChanges,
  Origin,
  SecretChange,
  Update,
  ValueChange,
} from '../core/change.ts';
export { type ErrorCode, type ErrorDetails, EXIT, type ExitCode, WebsitesError } from '../core/errors.ts';
export type { FieldName, Settings } from '../core/fields.ts';
export type { Approvals, Guard, GuardCode } from '../core/guard.ts';
export type { Value } from '../core/kinds.ts';
export type { Orphan, Plan, PlanOptions } from '../core/plan.ts';
export type { Place, Problem } from '../core/problem.ts';
export type { Risk, RiskLevel } from '../core/risk.ts';
export type { Failure, NotAttempted, Residual, Result, RunEvent, Subject } from '../core/run.ts';
export type { SecretRef } from '../core/secret.ts';
export type { Shard } from '../core/shard.ts';
export type { DesiredWebsite, UpdateRule, WwwRule } from '../core/website.ts';
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
