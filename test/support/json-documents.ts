/** One strict schema for each JSON document that the program prints: docs/json.md lists their keys. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { ACTIONS } from '../../src/model/change.ts';
import type { Findings } from '../../src/model/doctor-findings.ts';
import { ERROR_CODES, type Place, type Problem, WARNING_CODES } from '../../src/model/errors.ts';
import { FIELD_NAMES } from '../../src/model/field-table.ts';
import {
  type ImportReport,
  type ListReading,
  SKIP_REASONS,
  type SkipReason,
  type Unchecked,
} from '../../src/model/import-report.ts';
import { PLAN_FORMAT, type Plan } from '../../src/model/plan.ts';
import {
  CHANGE_OUTCOMES,
  type Effect,
  type Failure,
  type NotAttempted,
  RESULT_FORMAT,
  type Residual,
  type Result,
  type RunEvent,
  type Subject,
} from '../../src/model/run.ts';
import { RECORD_STATUSES } from '../../src/planner/inventory.ts';
import { COUNTS, MADE_BY, PLAN, SETTINGS, VALUE } from '../../src/planner/plan-file/parse.ts';
import { FORMATS } from '../../src/report/json.ts';

type Schema<T = unknown> = z.core.$ZodType<T>;
type Shape<T> = { readonly [Key in keyof T]-?: Schema<T[Key]> };

/** A strict object with every key of `T`, also those that may be missing. */
function object<T>(shape: Shape<T>): Schema<T> {
  return z.strictObject(shape) as unknown as Schema<T>;
}

const { exactOptional: optional, nullable } = z;
const list = <S extends z.core.$ZodShape>(shape: S) => z.array(z.strictObject(shape));
const text = z.string();
const texts = z.array(text);
const count = z.int().min(0);
const bool = z.boolean();
const field = z.enum(FIELD_NAMES);
const action = z.enum(ACTIONS);

const place = object<Place>({ file: text, line: count, column: count });
const subject: Shape<Subject> = { action, domain: text, id: optional(text), source: optional(place) };
const failure: Shape<Failure> = {
  ...subject,
  outcome: z.enum(['failed', 'unknown']),
  code: z.enum(ERROR_CODES),
  status: optional(z.int()),
  message: text,
  remedy: optional(text),
  attempts: count,
};
const effect = object<Effect>({ domain: text, id: text, field, before: VALUE, after: VALUE });
const effects = optional(z.array(effect).min(1));
const summary = object<Result['summary']>({
  ...{ created: count, updated: count, deleted: count, failed: count, not_attempted: count },
  unchanged: nullable(count),
});

const result = object<Result>({
  format: z.literal(RESULT_FORMAT),
  run: nullable(text),
  undoes: optional(text),
  scope: optional(text),
  selection: optional(text),
  summary,
  failures: list(failure),
  not_attempted: z.array(object<NotAttempted>({ ...subject, stale: optional(z.literal(true)) })),
  stopped: nullable(text),
  interrupted: bool,
  converged: nullable(bool),
  residual: z.array(
    object<Residual>({
      ...{ action, domain: text, message: text },
      ...{ field: optional(field), wanted: optional(VALUE), shown: optional(VALUE) },
    }),
  ),
  ...{ restored: effects, side_effects: effects, changed_meanwhile: effects },
  unverified: optional(list({ field, records: count })),
  notes: texts,
  requests: count,
  seconds: z.number(),
});

const problem: Shape<Problem> = {
  severity: z.enum(['error', 'warning']),
  code: optional(z.enum(WARNING_CODES)),
  message: text,
  remedy: optional(text),
  place: optional(place),
  excerpt: optional(z.strictObject({ text, length: count })),
};
const error = {
  code: z.enum([...ERROR_CODES, 'bug']),
  message: text,
  remedy: nullable(text),
  place: nullable(place),
  problems: list(problem),
  docs: text,
};

const run = {
  run: text,
  at: z.iso.datetime(),
  made_by: nullable(strict(MADE_BY)),
  service: text,
  planned: z.strictObject(COUNTS),
  summary: nullable(summary),
  converged: nullable(bool),
  stopped: nullable(text),
  finished: bool,
  undoes: nullable(text),
};
const ends = {
  outcome: z.enum(CHANGE_OUTCOMES),
  earlier: optional(z.literal(true)),
  id: optional(text),
  message: optional(text),
};

const record = {
  id: text,
  domain: nullable(text),
  status: nullable(z.enum(RECORD_STATUSES)),
  source: nullable(place),
  settings: SETTINGS,
  password_set: optional(bool),
  unreadable: optional(z.partialRecord(z.enum([...FIELD_NAMES, 'domain']), text)),
};

const column = { column: text, key: text };
const unchecked: Shape<Unchecked> = { place, subject: text, message: text };
const reading: Shape<ListReading> = {
  ...{ file: text, list: optional(text), header: optional(count), encoding: optional(text) },
  ...{ taken: list(column), unknown: texts },
  misnamed: list({ ...column, expected: text, values: list({ value: text, count }) }),
};
const imported: Shape<ImportReport> = {
  ...{ into: text, written: bool, refused: bool, next: nullable(text), unset: optional(text) },
  skipped: list({ ...unchecked, reason: z.enum(Object.keys(SKIP_REASONS) as SkipReason[]) }),
  ...{ added: count, readings: list(reading), not_checked: optional(list(unchecked)) },
};

const number = nullable(count);
const findings: Shape<Findings> = {
  base_url: text,
  redirects: list({ status: count, from: text, to: text }),
  list: object<Findings['list']>({
    ...{ envelope: text, paging: z.enum(['total', 'links', 'cursor', 'numbers']), records: count },
    ...{ total: number, pages: count, page_size: number, page_size_capped: bool },
    ...{ complete: bool, reason: text, refused_parameters: texts },
  }),
  search_finds: nullable(bool),
  fields: list({ name: field, shown: z.enum(['list', 'read', 'nowhere', 'unknown']) }),
  ...{ tells_password_set: nullable(bool), favorite: nullable(text), unreadable: texts, duplicates: texts },
  www: z.strictObject({ with: count, without: count, both: count }),
  rate_limit: nullable(
    z.strictObject({ headers: texts, limit: number, remaining: number, reset_ms: number }),
  ),
};

const references = [z.strictObject({ env: text }), z.strictObject({ file: text })];
const level = z.enum(['record', 'group', 'file']);
const validated = {
  ...{ target: nullable(text), files: texts, websites: count },
  records: list({
    ...{ domain: text, group: optional(text), state: z.enum(['present', 'absent']), protect: bool },
    settings: z.partialRecord(field, z.union([...VALUE._zod.def.options, ...references])),
    ...{ source: place, origins: optional(list({ field, level, group: optional(text), place })) },
  }),
};

const plan: Schema<Plan> = strict(PLAN);

const document = (name: keyof typeof FORMATS, shape: z.core.$ZodShape) => ({
  [FORMATS[name]]: z.strictObject({ format: z.literal(FORMATS[name]), ...shape }),
});

export const DOCUMENTS: Readonly<Record<string, Schema>> = {
  [PLAN_FORMAT]: plan,
  [RESULT_FORMAT]: result,
  ...document('error', error),
  ...document('runs', { runs: list(run) }),
  ...document('run', { ...run, side_effects: z.array(effect), changes: z.array(changeWith(ends)) }),
  ...document('list', {
    ...{ service: text, complete: bool, reason: nullable(text), hidden: z.array(field) },
    read: z.strictObject({ kind: z.enum(['list', 'lookup']), requests: count }),
    records: list(record),
  }),
  ...document('import', imported),
  ...document('doctor', { ...findings, pins: list({ key: text, value: nullable(text), reason: text }) }),
  ...document('validation', { valid: list(validated), warnings: list(problem) }),
};

const { created_at, expires_at, service, guards, warnings, cost, digest } = PLAN.shape;
const kind = <Type extends string>(type: Type) => ({ type: z.literal(type) });

type Facts<Type> = Omit<Extract<RunEvent, { type: Type }>, 'type'>;
const facts: { readonly [Type in RunEvent['type']]: Shape<Facts<Type>> } = {
  run_started: { run: text, changes: count, left: optional(z.strictObject(COUNTS)) },
  change_started: subject,
  change_done: { ...subject, note: optional(text) },
  change_failed: failure,
  earlier_run: { message: text },
  stopping: { reason: text },
  canary_started: { changes: count },
  canary_verified: { done: count, failed: count },
  verify_started: {},
  verify_waiting: { open: count, milliseconds: z.number() },
  run_ended: { result },
};

/** Lines of NDJSON by their `type`. */
export const EVENTS: Readonly<Record<string, Schema>> = {
  version: z.strictObject({ ...kind('version'), format: z.literal(FORMATS.event) }),
  planned_change: changeWith(kind('planned_change')),
  change_summary: strict(
    z.strictObject({
      ...{ ...kind('change_summary'), ...PLAN.shape.summary.shape },
      ...{ created_at, expires_at, service, guards, warnings, cost, digest },
    }),
  ),
  ...Object.fromEntries(
    Object.entries(facts).map(([type, shape]) => [type, z.strictObject({ ...kind(type), ...shape })]),
  ),
  recorded_run: z.strictObject({ ...kind('recorded_run'), ...run, side_effects: optional(z.array(effect)) }),
  recorded_change: changeWith({ ...kind('recorded_change'), ...ends }),
  diagnostic: z.strictObject({
    ...kind('diagnostic'),
    severity: z.literal('error'),
    format: z.literal(FORMATS.error),
    ...error,
  }),
};

const VERSIONS = z.strictObject({ version: text, node: text, formats: texts });

/** The parts of JSON Schema that the schemas of this file use. */
export interface Tree {
  readonly type?: string;
  readonly anyOf?: readonly Tree[];
  readonly oneOf?: readonly Tree[];
  readonly items?: Tree;
  readonly properties?: Readonly<Record<string, Tree>>;
  readonly additionalProperties?: Tree | boolean;
}

/** Returns the JSON Schema, in which no object may have other keys. */
export function treeOf(schema: Schema = z.never()): Tree {
  const tree = JSON.stringify(z.toJSONSchema(schema));
  return JSON.parse(tree.replaceAll('"additionalProperties":{}', '"additionalProperties":false'));
}

function strict<T>(schema: Schema<T>): Schema<T> {
  return z.fromJSONSchema(treeOf(schema) as z.core.JSONSchema.JSONSchema) as unknown as Schema<T>;
}

/** A change of a plan with more keys. */
export function changeWith(more: z.core.$ZodShape): Schema {
  const branches = PLAN.shape.changes._zod.def.element._zod.def.options;
  return z.union(branches.map((branch) => strict(z.strictObject({ ...branch._zod.def.shape, ...more }))));
}

/** Throws if JSON on standard output, or in the file of `--report json=FILE`, does not match its schema. */
export function checkJson(args: readonly string[], stdout: string, cwd: string): void {
  if (args.some((word) => /^(?:--format=)?(?:nd)?json$/.test(word))) checkText(stdout);
  for (const word of args) {
    const [, file] = /^(?:--report=)?json=(.+)$/.exec(word) ?? [];
    const path = resolve(cwd, file ?? '');
    if (file !== undefined && existsSync(path)) checkText(readFileSync(path, 'utf8'));
  }
}

/** Ignores incomplete documents. */
function checkText(output: string): void {
  if (!output.startsWith('{') || !output.endsWith('}\n')) return;
  const whole = parsed(output);
  for (const value of whole === undefined ? output.trimEnd().split('\n').map(parsed) : [whole])
    z.parse(schemaOf(value), value);
}

function schemaOf(line: unknown): Schema {
  const { type, format, version } = Object(line);
  if (type !== undefined) return EVENTS[type] ?? z.never();
  if (format !== undefined) return DOCUMENTS[format] ?? z.never();
  return version === undefined ? z.strictObject(record) : VERSIONS;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
