/** Reads a plan from any source. Verifies its shape and digest before anything in it is used. */
import * as z from 'zod/mini';
import type { Change } from '../../model/change.ts';
import { RECORD_ID } from '../../model/contract.ts';
import { WARNING_CODES, WebsitesError } from '../../model/errors.ts';
import { FIELD_NAMES, FIELDS, READABLE_NAMES } from '../../model/field-table.ts';
import { type Digest, GUARD_CODES, type MadeBy, PLAN_FORMAT, type Plan } from '../../model/plan.ts';
import { RISK_LEVELS } from '../../model/risk.ts';
import { RUN_ID } from '../../model/run.ts';
import { otherVersion, USE_ITS_VERSION } from '../../util/document-format.ts';
import { parseJson } from '../../util/json.ts';
import { bearsItsDigest } from './write.ts';

const optional = z.exactOptional;
const text = z.string();
const texts = z.array(text);
const id = text.check(z.regex(RECORD_ID));
const instant = z.iso.datetime();
const count = z.int().check(z.minimum(0));
export const COUNTS = { create: count, update: count, delete: count };

export const VALUE = z.union([z.boolean(), z.number(), text, texts, z.null()]);
const SECRET_REF = z.union([
  z.strictObject({ env: text }),
  z.strictObject({ file: text }),
  z.strictObject({ yaml: text }),
]);
const FIELD_CHANGE = z.union([
  // The usual shapes come first and have no optional members, because zod checks an optional member as slowly as a
  // wrong member.
  z.strictObject({ after: VALUE }),
  z.strictObject({ before: VALUE, after: VALUE }),
  z.looseObject({
    sensitive: z.literal(true),
    ref: z.nullable(SECRET_REF),
    set: optional(z.literal(true)),
    fingerprint: optional(text),
  }),
]);
/** A secret field accepts only a reference, never plain text. Other fields accept no secret. */
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
const PLACE = z.looseObject({ file: text, line: z.int(), column: z.int() });
const common = {
  domain: text,
  risk: z.looseObject({ level: z.enum(RISK_LEVELS), reason: text }),
  notes: texts,
  origin: optional(z.enum(['config', 'drift', 'both'])),
  group: optional(text),
};

const existing = { id, before: SETTINGS, password_set: optional(z.boolean()) };

const CHANGE = z.discriminatedUnion('action', [
  z.looseObject({ ...common, action: z.literal('create'), fields, source: PLACE }),
  z.looseObject({
    ...common,
    action: z.literal('update'),
    ...existing,
    fields,
    alongside: fields,
    kept: optional(z.array(z.enum(FIELD_NAMES))),
    unreadable: optional(z.array(z.enum(FIELD_NAMES))),
    source: PLACE,
  }),
  z.looseObject({
    ...common,
    action: z.literal('delete'),
    ...existing,
    cause: z.enum(['prune', 'absent', 'undo']),
    source: optional(PLACE),
  }),
]) satisfies z.ZodMiniType<Change>;

export const MADE_BY: z.ZodMiniType<MadeBy> = z.looseObject({
  actor: optional(text),
  commit: optional(text),
  url: optional(text),
});

export const PLAN = z.looseObject({
  format: z.literal(PLAN_FORMAT),
  created_at: instant,
  expires_at: instant,
  read_at: instant,
  made_by: optional(MADE_BY),
  service: z.looseObject({
    base_url: text,
    key_fingerprint: text,
    target: optional(text.check(z.regex(/^[a-z0-9-]{1,63}$/))),
  }),
  config: z.looseObject({
    files: z.array(z.looseObject({ path: text, digest: text, bulk: optional(z.literal(true)) })),
    digest: text,
    open: optional(texts),
    folder: optional(text),
    made_in: optional(text),
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
    since: optional(text),
    fail_on_drift: optional(z.boolean()),
    undoes: optional(text.check(z.regex(RUN_ID))),
    allow: z.looseObject({ empty: z.boolean(), deletes: optional(count), updates: optional(count) }),
  }),
  scope: optional(texts),
  commits: optional(z.looseObject({ since: text, merge_base: text })),
  summary: z.looseObject({
    ...COUNTS,
    unchanged: z.nullable(count),
    orphan: z.nullable(count),
    ignored: z.nullable(count),
  }),
  changes: z.array(CHANGE),
  orphans: z.array(z.looseObject({ domain: text, id: text, protected: z.boolean() })),
  guards: z.array(
    z.looseObject({ code: z.enum(GUARD_CODES), message: text, remedy: text, approved: z.boolean() }),
  ),
  warnings: z.array(z.looseObject({ code: z.enum(WARNING_CODES), message: text })),
  read: z.looseObject({ kind: z.enum(['list', 'lookup']), requests: count, domains: count }),
  cost: z.looseObject({ requests: count, seconds: z.nullable(z.number()), list: z.nullable(count) }),
  digest: text,
  seal: optional(text),
}) satisfies z.ZodMiniType<Plan>;

/** Mentions -f, because the user may have passed a configuration file. */
const NO_PLAN = 'Pass a file that "websites plan --out" wrote. YAML files are passed with -f.';

/** Throws `plan-invalid` for a damaged or edited file, a file that is not a plan, and a plan of another version. */
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
