/** Reads a plan from any source: nothing in it is used before its shape and digest are verified. */
import * as z from 'zod/mini';
import type { Change } from '../../model/change.ts';
import { RECORD_ID } from '../../model/contract.ts';
import { WebsitesError } from '../../model/errors.ts';
import { FIELD_NAMES, FIELDS, READABLE_NAMES } from '../../model/field-table.ts';
import { type Approvals, GUARD_CODES } from '../../model/guard.ts';
import type { MadeBy } from '../../model/made-by.ts';
import type { Digest } from '../../model/plan.ts';
import { PLAN_FORMAT, type Plan } from '../../model/plan.ts';
import { RISK_LEVELS } from '../../model/risk.ts';
import { RUN_ID } from '../../model/run.ts';
import { WARNING_CODES } from '../../model/warning.ts';
import { otherVersion, USE_ITS_VERSION } from '../../util/document-format.ts';
import { parseJson } from '../../util/json.ts';
import { bearsItsDigest } from './write.ts';

const optional = z.exactOptional;
const texts = z.array(z.string());
const id = z.string().check(z.regex(RECORD_ID));
const instant = z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))));
const count = z.int().check(z.minimum(0));

export const VALUE = z.union([z.boolean(), z.number(), z.string(), texts, z.null()]);
const SECRET_REF = z.union([
  z.strictObject({ env: z.string() }),
  z.strictObject({ file: z.string() }),
  z.strictObject({ yaml: z.string() }),
]);
const FIELD_CHANGE = z.union([
  // An optional member costs as much as a wrong one: the usual shapes come first, without any.
  z.strictObject({ after: VALUE }),
  z.strictObject({ before: VALUE, after: VALUE }),
  z.looseObject({
    sensitive: z.literal(true),
    ref: z.nullable(SECRET_REF),
    set: optional(z.literal(true)),
    fingerprint: optional(z.string()),
  }),
]);
/** Secret fields take only references, never plain text; other fields take no secret. */
const fields = z
  .partialRecord(z.enum(FIELD_NAMES), FIELD_CHANGE)
  .check(
    z.refine((changes) =>
      FIELD_NAMES.every(
        (name) => !changes[name] || 'sensitive' in changes[name] === Boolean(FIELDS[name].secret),
      ),
    ),
  );
export const SETTINGS = z.partialRecord(z.enum(READABLE_NAMES), VALUE);
const PLACE = z.looseObject({ file: z.string(), line: z.int(), column: z.int() });
const common = {
  domain: z.string(),
  risk: z.looseObject({ level: z.enum(RISK_LEVELS), reason: z.string() }),
  notes: texts,
  origin: optional(z.enum(['config', 'drift', 'both'])),
  group: optional(z.string()),
};

const CHANGE = z.discriminatedUnion('action', [
  z.looseObject({ ...common, action: z.literal('create'), fields, source: PLACE }),
  z.looseObject({
    ...common,
    action: z.literal('update'),
    id,
    before: SETTINGS,
    fields,
    alongside: fields,
    password_set: optional(z.boolean()),
    kept: optional(z.array(z.enum(FIELD_NAMES))),
    unreadable: optional(z.array(z.enum(FIELD_NAMES))),
    source: PLACE,
  }),
  z.looseObject({
    ...common,
    action: z.literal('delete'),
    id,
    before: SETTINGS,
    password_set: optional(z.boolean()),
    cause: z.enum(['prune', 'absent', 'undo']),
    source: optional(PLACE),
  }),
]) satisfies z.ZodMiniType<Change>;

const APPROVALS: z.ZodMiniType<Approvals> = z.looseObject({
  empty: z.boolean(),
  deletes: optional(count),
  updates: optional(count),
});

export const MADE_BY: z.ZodMiniType<MadeBy> = z.looseObject({
  actor: optional(z.string()),
  commit: optional(z.string()),
  url: optional(z.string()),
});

export const PLAN = z.looseObject({
  format: z.literal(PLAN_FORMAT),
  created_at: instant,
  expires_at: instant,
  read_at: instant,
  made_by: optional(MADE_BY),
  service: z.looseObject({
    base_url: z.string(),
    key_fingerprint: z.string(),
    target: optional(z.string().check(z.regex(/^[a-z0-9-]{1,63}$/))),
  }),
  config: z.looseObject({
    files: z.array(z.looseObject({ path: z.string(), digest: z.string(), bulk: optional(z.literal(true)) })),
    digest: z.string(),
    open: optional(texts),
    folder: optional(z.string()),
    made_in: optional(z.string()),
  }),
  complete: z.boolean(),
  options: z.looseObject({
    prune: z.union([z.boolean(), z.literal('removed')]),
    www: optional(z.enum(['same', 'distinct'])),
    update: z.enum(['auto', 'changed', 'full']),
    domain: texts,
    exclude: texts,
    group: optional(texts),
    resend_passwords: z.boolean(),
    only: optional(z.enum(['config', 'drift'])),
    since: optional(z.string()),
    fail_on_drift: optional(z.boolean()),
    undoes: optional(z.string().check(z.regex(RUN_ID))),
    allow: APPROVALS,
  }),
  scope: optional(texts),
  commits: optional(z.looseObject({ since: z.string(), merge_base: z.string() })),
  summary: z.looseObject({
    create: count,
    update: count,
    delete: count,
    unchanged: z.nullable(count),
    orphan: z.nullable(count),
    ignored: z.nullable(count),
  }),
  changes: z.array(CHANGE),
  orphans: z.array(z.looseObject({ domain: z.string(), id: z.string(), protected: z.boolean() })),
  guards: z.array(
    z.looseObject({
      code: z.enum(GUARD_CODES),
      message: z.string(),
      remedy: z.string(),
      approved: z.boolean(),
    }),
  ),
  warnings: z.array(z.looseObject({ code: z.enum(WARNING_CODES), message: z.string() })),
  read: z.looseObject({ kind: z.enum(['list', 'lookup']), requests: count, domains: count }),
  cost: z.looseObject({ requests: count, seconds: z.nullable(z.number()), list: z.nullable(count) }),
  digest: z.string(),
  seal: optional(z.string()),
}) satisfies z.ZodMiniType<Plan>;

/** The user may have passed a configuration file. */
const NO_PLAN = 'Pass a file that "websites plan --out" wrote. YAML files are passed with -f.';

/** Throws `plan-invalid` for a damaged, foreign or edited file, and for one of another version. */
export function parsePlan(json: string, file: string, digest: Digest): Plan {
  const invalid = (reason: string, remedy = 'Plan again with --out.'): WebsitesError =>
    new WebsitesError('plan-invalid', `${file} is not a valid plan: ${reason}.`, { remedy });
  const raw = parseJson(json);
  if (typeof raw !== 'object' || raw === null) throw invalid('it is not valid JSON', NO_PLAN);
  const other = otherVersion(raw, PLAN_FORMAT);
  if (other !== undefined) throw invalid(other, USE_ITS_VERSION);
  if ((raw as { format?: unknown }).format !== PLAN_FORMAT) throw invalid('it is not a plan file', NO_PLAN);
  if (!bearsItsDigest(raw as Plan, digest)) throw invalid('it was edited, or damaged, after it was written');
  const result = PLAN.safeParse(raw);
  if (result.success) return result.data;
  throw invalid(`unexpected value at ${result.error.issues[0]?.path.join('.') ?? 'the top'}`);
}
