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
} from '../model/change.ts';
export type { Place, Problem } from '../model/errors.ts';
export { type ErrorCode, type ErrorDetails, EXIT, type ExitCode, WebsitesError } from '../model/errors.ts';
export type { FieldName, Settings } from '../model/field-table.ts';
export type { Value } from '../model/field-types.ts';
export type { Approvals, Guard, GuardCode } from '../model/guard.ts';
export type { Orphan, Plan, PlanOptions } from '../model/plan.ts';
export type { Risk, RiskLevel } from '../model/risk.ts';
export type { Failure, NotAttempted, Residual, Result, RunEvent, Subject } from '../model/run.ts';
export type { SecretRef } from '../model/secret.ts';
export type { DesiredWebsite, UpdateRule, WwwRule } from '../model/website.ts';
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
