/**
 * Reading a saved plan back. It comes from a disk, a pipeline's artifact or a stranger, so nothing of it is
 * believed before its shape and its digest are right.
 */
import * as z from 'zod/mini';
import { canonicalJson, type Digest } from './canonical.ts';
import { WebsitesError } from './errors.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from './fields.ts';
import type { Plan } from './plan.ts';
import { PLAN_FORMAT } from './plan.ts';
import { RISK_LEVELS } from './risk.ts';

const text = z.string();
const count = z.int().check(z.minimum(0));
const texts = z.array(text);
const value = z.union([z.boolean(), z.number(), text, texts, z.null()]);
const secretRef = z.union([
  z.strictObject({ env: text }),
  z.strictObject({ file: text }),
  z.strictObject({ yaml: text }),
]);
const time = text.check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/));

const byField = <T extends z.ZodMiniType>(of: (name: FieldName) => T) =>
  z.partial(
    z.strictObject(Object.fromEntries(FIELD_NAMES.map((name) => [name, of(name)])) as Record<FieldName, T>),
  );

const settings = byField((name) => (FIELDS[name].secret ? z.never() : value));
const fieldChanges = byField((name) =>
  FIELDS[name].secret
    ? z.looseObject({ sensitive: z.literal(true), ref: z.nullable(secretRef), fingerprint: z.optional(text) })
    : z.looseObject({ before: z.optional(value), after: value }),
);
const place = z.looseObject({ file: text, line: count, column: count });
const common = {
  domain: text.check(z.minLength(1)),
  risk: z.looseObject({ level: z.enum(RISK_LEVELS), reason: text }),
  notes: texts,
};
const id = text.check(z.minLength(1));
const change = z.discriminatedUnion('action', [
  z.looseObject({ action: z.literal('create'), ...common, fields: fieldChanges, source: place }),
  z.looseObject({
    action: z.literal('update'),
    ...common,
    id,
    before: settings,
    fields: fieldChanges,
    alongside: fieldChanges,
    source: place,
  }),
  z.looseObject({
    action: z.literal('delete'),
    ...common,
    id,
    before: settings,
    cause: z.enum(['prune', 'absent', 'undo']),
    source: z.optional(place),
  }),
]);

const document = z.looseObject({
  format: z.literal(PLAN_FORMAT),
  created_at: time,
  expires_at: time,
  read_at: time,
  service: z.looseObject({ base_url: text, key_fingerprint: text }),
  config: z.looseObject({ files: z.array(z.looseObject({ path: text, digest: text })), digest: text }),
  complete: z.boolean(),
  options: z.looseObject({
    prune: z.boolean(),
    www: z.optional(z.enum(['same', 'distinct'])),
    update: z.enum(['full', 'changed']),
    target: texts,
    exclude: texts,
    deletes_first: z.boolean(),
    resend_passwords: z.boolean(),
    allow: z.looseObject({ empty: z.boolean(), deletes: z.optional(count), updates: z.optional(count) }),
  }),
  summary: z.looseObject({
    create: count,
    update: count,
    delete: count,
    unchanged: count,
    orphan: count,
    ignored: count,
  }),
  changes: z.array(change),
  orphans: z.array(z.looseObject({ domain: text, id, protected: z.boolean() })),
  guards: z.array(z.looseObject({ code: text, message: text, remedy: text, approved: z.boolean() })),
  warnings: texts,
  cost: z.looseObject({ requests: count, seconds: z.nullable(z.number()) }),
  digest: text,
});

/**
 * The plan in `json`, the content of `file`. Throws `plan-invalid` for a damaged or foreign file, one of
 * another version, and one that was edited after it was written.
 */
export function parsePlan(json: string, file: string, digest: Digest): Plan {
  const invalid = (message: string, remedy = 'Plan again with --out.'): WebsitesError =>
    new WebsitesError('plan-invalid', `${file}: ${message}.`, { remedy });
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    throw invalid('this is no plan: it is not whole JSON');
  }
  const format = typeof raw === 'object' && raw !== null && 'format' in raw ? raw.format : undefined;
  if (format !== PLAN_FORMAT) {
    if (typeof format !== 'string' || !format.startsWith('websites.plan/')) throw invalid('this is no plan');
    throw invalid(
      `its format is ${JSON.stringify(format)}, this program reads ${PLAN_FORMAT}`,
      'Use the version that wrote it.',
    );
  }
  const { digest: stated, ...rest } = raw as Record<string, unknown>;
  if (digest(canonicalJson(rest)) !== stated)
    throw invalid('it was edited, or damaged, after it was written');
  const result = document.safeParse(raw);
  if (result.success) return result.data as unknown as Plan;
  const [first] = result.error.issues;
  throw invalid(`${first?.path.join('.') ?? 'it'} is not as a plan has it`);
}
