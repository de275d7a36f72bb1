/** Runs rules in a worker: loops over loops, and some regular expressions, can be ended in no other way. */
import { Worker } from 'node:worker_threads';
import type { Problem } from '../../model/errors.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Policies, PolicyRule } from '../../model/policy.ts';
import { type Subjects, VARIABLES, type Variables } from '../../planner/policies/facts.ts';
import type { Fault, Found, Judgment } from '../../planner/policies/judge.ts';

/** worker.ts with all that it takes, as one text (scripts/page-texts.mjs). */
declare const POLICY_WORKER: string;

export interface Task {
  readonly rules: readonly PolicyRule[];
  readonly subjects: Subjects;
  readonly variables: Variables;
  /** The position of the rule that is run, which is known even of a worker that is stuck. */
  readonly at: Int32Array;
}

/**
 * For all rules together, of the processor's time: on a busy machine no rule is to fail that takes a moment on another.
 */
const LIMIT_MS = 10_000;
const LOOK_MS = 100;

/**
 * What each policy finds in the facts of its subject. Throws `policy-invalid` for rules that cannot be used, fail, or take
 * longer than `limitMs` of the processor's time together.
 */
export async function run(
  policies: Policies,
  subjects: Subjects,
  limitMs: number = LIMIT_MS,
): Promise<readonly Found[]> {
  const at = new Int32Array(new SharedArrayBuffer(4));
  const rules = policies.all.map(({ name, on, match, rule }) => ({ name, on, match, rule }));
  const judgment = await judged({ rules, subjects, variables: VARIABLES, at }, limitMs);
  if ('found' in judgment) return judgment.found;
  if ('faults' in judgment) {
    throw invalid(judgment.faults.flatMap((fault) => problemOf(fault, policies, subjects)));
  }
  const stuck = policies.all[Atomics.load(at, 0)];
  const problems = stuck === undefined ? [] : [stuck.problemAt('rule', 0, stuck.rule.length, judgment.ended)];
  throw invalid(problems, 'Simplify it: avoid loops in loops, and patterns such as (a+)+.');
}

/** One worker after the other, since the processor's time is known of the process alone. */
let last: Promise<unknown> = Promise.resolve();

function judged(task: Task, limitMs: number): Promise<Ended> {
  const own = last.then(() => judgedNow(task, limitMs));
  last = own.catch(() => undefined);
  return own;
}

/** What the worker found, or why it came to no end. */
type Ended = Judgment | { readonly ended: string };

function judgedNow(task: Task, limitMs: number): Promise<Ended> {
  const begun = process.cpuUsage();
  const worker = new Worker(POLICY_WORKER, { eval: true, workerData: task, env: {}, execArgv: [] });
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Ended>((resolve, reject) => {
    timer = setInterval(() => {
      const { user, system } = process.cpuUsage(begun);
      if ((user + system) / 1000 < limitMs) return;
      resolve({ ended: `all rules together took longer than ${limitMs / 1000} s, and ended at this one` });
    }, LOOK_MS);
    worker.once('message', resolve);
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve({ ended: 'this rule needs too much memory' });
      else reject(error);
    });
  }).finally(() => {
    clearInterval(timer);
    return worker.terminate();
  });
}

function problemOf(fault: Fault, { all }: Policies, subjects: Subjects): readonly Problem[] {
  const policy = all[fault.rule];
  if (policy === undefined) return [];
  const domain = fault.item === undefined ? undefined : subjects[policy.on]?.columns.domain?.[fault.item];
  const of = domain === undefined ? '' : ` (for ${domain})`;
  return [policy.problemAt(fault.part, fault.start, fault.end, `${fault.message}${of}`)];
}

function invalid(problems: readonly Problem[], remedy = USE_HAS): WebsitesError {
  const rules = problems.length === 1 ? 'One rule' : `${problems.length} rules`;
  return new WebsitesError('policy-invalid', `${rules} cannot be evaluated.`, { remedy, problems });
}

const USE_HAS = 'Fix the rule. "has(site.NAME)" tests whether a setting is set before it is read.';
