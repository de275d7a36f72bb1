/**
 * Entries of a run file, one per line, without secrets. The list of runs reads only the first and last line,
 * which are short. The first has the seal and the plan's digest, so the seal also covers the second line.
 */
import * as z from 'zod/mini';
import { RECORD_ID } from '../../model/contract.ts';
import { WebsitesError } from '../../model/errors.ts';
import { FIELD_NAMES, type Settings } from '../../model/field-table.ts';
import { PLAN_FORMAT, type Plan } from '../../model/plan.ts';
import { CHANGE_OUTCOMES, type Effect } from '../../model/run.ts';
import { COUNTS, MADE_BY, PLAN, SETTINGS, VALUE } from '../../planner/plan-file/parse.ts';
import { bearsItsDigest } from '../../planner/plan-file/write.ts';
import { otherVersion } from '../../util/document-format.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { RUN_FILE_FORMAT } from './write.ts';

const optional = z.optional;
const count = z.int().check(z.minimum(0));
const plan: z.ZodMiniType<Plan> = PLAN.check(
  z.refine((read) => bearsItsDigest(read, sha256), 'its digest does not match: it was changed'),
);
const subject = { index: count, domain: z.string() };
const shows = {
  settings: optional(SETTINGS as z.ZodMiniType<Settings>),
  password_set: optional(z.boolean()),
};

const recordId = z.string().check(z.regex(RECORD_ID));
const EFFECT: z.ZodMiniType<Effect> = z.object({
  domain: z.string(),
  id: recordId,
  field: z.enum(FIELD_NAMES),
  before: VALUE,
  after: VALUE,
});

const OPENED = z.object({
  entry: z.literal('opened'),
  format: z.literal(RUN_FILE_FORMAT),
  run: z.string(),
  at: z.string(),
  made_by: optional(MADE_BY),
  undoes: optional(z.string()),
  service: z.object({ base_url: z.string(), key_fingerprint: z.string() }),
  selected: optional(z.literal(true)),
  plan: z.string(),
  planned: z.object(COUNTS),
  request_timeout_ms: optional(count),
});

const CLOSED = z.object({
  entry: z.literal('closed'),
  at: z.string(),
  finished: z.boolean(),
  stopped: z.nullable(z.string()),
  converged: z.nullable(z.boolean()),
  summary: z.object({
    created: count,
    updated: count,
    deleted: count,
    unchanged: z.nullable(count),
    failed: count,
    not_attempted: count,
  }),
  in_doubt: optional(count),
});

const ENTRY = z.discriminatedUnion('entry', [
  OPENED,
  z.object({
    entry: z.literal('planned'),
    plan,
    /** Changes that the service already showed as done at the start, with the IDs of existing records. */
    settled: z.array(z.object({ index: count, id: optional(recordId) })),
  }),
  /** The change is about to be sent. `settings` is what the record of an update showed right before. */
  z.object({ ...subject, entry: z.literal('begun'), at: z.string(), ...shows }),
  /** Contains the values of a created record that were not sent. A later entry for the same change adds to them. */
  z.object({
    ...subject,
    entry: z.literal('ended'),
    outcome: z.enum(CHANGE_OUTCOMES),
    id: optional(recordId),
    message: optional(z.string()),
    ...shows,
  }),
  z.object({
    entry: z.literal('side_effects'),
    effects: z.array(EFFECT) as z.ZodMiniType<readonly Effect[]>,
  }),
  CLOSED,
]);

export type Opened = Readonly<z.infer<typeof OPENED>>;
export type Closed = Readonly<z.infer<typeof CLOSED>>;
export type RunEntry = Readonly<z.infer<typeof ENTRY>>;
export type EntryOf<K extends RunEntry['entry']> = Extract<RunEntry, { entry: K }>;

export function readEntry(line: string): RunEntry | undefined {
  return ENTRY.safeParse(parseJson(line)).data;
}

export function parseEntry(text: string, file: string, line: number): RunEntry {
  const raw = parseJson(text);
  const { success, data, error } = ENTRY.safeParse(raw);
  if (success) return data;
  const other = otherVersion(raw, RUN_FILE_FORMAT) ?? otherVersion(isObject(raw) && raw.plan, PLAN_FORMAT);
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') || 'it';
  throw damaged(file, line, other ?? `${path}: ${issue?.message ?? 'unexpected'}`);
}

export function damaged(file: string, line: number, problem: string): WebsitesError {
  return new WebsitesError('file-failed', `The journal is damaged at ${file}:${line}: ${problem}.`, {
    // A newer version may add entries to the same format (docs/contributing/releasing.md).
    remedy:
      'If a newer version wrote it, use that version. Otherwise move the file away: "websites plan" shows what is left to do.',
    place: { file, line, column: 1 },
  });
}
