/**
 * The entries of a journal, one a line. `opened` and `planned` begin it and are on the disk before anything
 * is sent; `closed` ends it. First and last line are short, so that runs can be listed by them alone. Each
 * line ends with its `seal` (seal-chain.ts), which is no part of the entry. No entry holds a secret.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { RECORD_ID } from '../model/contract.ts';
import { FIELD_NAMES, type FieldName, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import type { Digest, Plan } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import { APPROVALS, MADE_BY, PLAN, SETTINGS, VALUE } from '../planner/plan-file/parse.ts';
import { bearsItsDigest } from '../planner/plan-file/write.ts';

export const JOURNAL_FORMAT = 'websites.journal/1';

const optional = z.exactOptional;
const count = z.int().check(z.minimum(0));
const sha256: Digest = (content) => {
  const hash = createHash('sha256');
  for (const text of content) hash.update(text);
  return hash.digest('hex');
};
/** A plan of this version, and with the digest that it must bear. */
const plan: z.ZodMiniType<Plan> = PLAN.check(
  z.refine((read) => bearsItsDigest(read, sha256), 'its digest does not match: it was changed'),
);
/** Names a change of the plan. */
const subject = { index: count, domain: z.string() };

const RECORD = z.string().check(z.regex(RECORD_ID));
const EFFECT: z.ZodMiniType<Effect> = z.object({
  domain: z.string(),
  id: RECORD,
  field: z.enum(FIELD_NAMES),
  before: VALUE,
  after: VALUE,
});

export const OPENED = z.object({
  entry: z.literal('opened'),
  format: z.literal(JOURNAL_FORMAT),
  run: z.string(),
  at: z.string(),
  made_by: optional(MADE_BY),
  /** The run that this one goes on with. */
  continues: optional(z.string()),
  /** The run that this one takes back. */
  undoes: optional(z.string()),
  service: z.object({ base_url: z.string(), key_fingerprint: z.string() }),
  selected: optional(z.literal(true)),
  /** The digest of the plan, and what it holds. */
  plan: z.string(),
  planned: z.object({ create: count, update: count, delete: count }),
  /** How long a request of it, or of the run that it goes on with, may be at work. */
  request_timeout_ms: optional(count),
});

export const CLOSED = z.object({
  entry: z.literal('closed'),
  at: z.string(),
  /** Nothing of the plan is left to be attempted. */
  finished: z.boolean(),
  /** Why something is. */
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
  /** Creates that may have been carried out, and were not found; none where it is missing. */
  in_doubt: optional(count),
  /** Records of which something has to be put back; none where it is missing. */
  owed: optional(count),
});

export const ENTRY = z.discriminatedUnion('entry', [
  OPENED,
  z.object({
    entry: z.literal('planned'),
    plan,
    /** Changes that earlier runs carried out, with the ids of records that are there. */
    settled: z.array(z.object({ index: count, id: optional(z.string().check(z.regex(RECORD_ID))) })),
    /** Changes that earlier runs may have sent. */
    doubtful: z.array(count),
    /** What was said yes to when it was applied, beside what the plan has of that. */
    allow: optional(APPROVALS),
  }),
  /** The change is about to be sent. */
  z.object({ ...subject, entry: z.literal('begun'), at: z.string() }),
  z.object({
    ...subject,
    entry: z.literal('ended'),
    fate: z.enum(['done', 'failed', 'unknown', 'not_attempted']),
    /** Of the record, where it was done. */
    id: optional(z.string().check(z.regex(RECORD_ID))),
    message: optional(z.string()),
    /** A password that goes along with the change was not sent. */
    withheld: optional(z.literal(true)),
  }),
  /** An update that may reset `left` is about to be sent: the record showed `settings` right before. */
  z.object({
    ...subject,
    entry: z.literal('restore_owed'),
    at: z.string(),
    id: RECORD,
    settings: SETTINGS as z.ZodMiniType<Settings>,
    left: z.array(z.enum(READABLE_NAMES)) as z.ZodMiniType<readonly FieldName[]>,
  }),
  /** What was owed is about to be sent. */
  z.object({ ...subject, entry: z.literal('restoring') }),
  /** Nothing is owed any more: it stayed, was put back, or somebody was told. */
  z.object({ ...subject, entry: z.literal('restore_settled') }),
  /** Settings that the run changed, and was not to change. */
  z.object({
    entry: z.literal('side_effects'),
    effects: z.array(EFFECT) as z.ZodMiniType<readonly Effect[]>,
  }),
  CLOSED,
]);

export type Opened = Readonly<z.infer<typeof OPENED>>;
export type Closed = Readonly<z.infer<typeof CLOSED>>;
export type JournalEntry = Readonly<z.infer<typeof ENTRY>>;
