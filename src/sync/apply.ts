/** Carrying out a plan with a connection: the apply engine, and what is kept beside the files. */
import type { Applied } from '../apply/apply.ts';
import { resultOf } from '../apply/result.ts';
import { applyMade, applySaved, type ResumeOptions, resumeRun } from '../apply/resume.ts';
import { EXIT, type ExitCode, WebsitesError, worstExit } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { type Knowledge, learnedText } from '../update/knowledge.ts';
import { listen } from '../util/abort.ts';
import type { Connection } from './connect.ts';
import { isOther, readKnowledge, writeKnowledge } from './service-file.ts';
import type { Session } from './session.ts';
import { runsFolder } from './state.ts';

export interface ApplySettings extends Pick<ResumeOptions, 'emit' | 'signal' | 'maxFailures' | 'canary'> {
  readonly skipStale?: boolean | undefined;
  /** What the result says before its own notes. */
  readonly notes?: readonly string[];
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/**
 * Carries out the plan of a session, in the mode that it was opened for. Throws
 * `guard-refused`, `secret-missing`, `interrupted` and `file-failed` before anything is sent; what fails later is in the
 * result.
 */
export async function apply(session: Session, settings: ApplySettings): Promise<Applied> {
  const { signal, notes = [] } = settings;
  const { connection, root } = session;
  const unlisten = listen(signal, connection.interrupt);
  try {
    const knowledge = await readKnowledge(root, connection);
    const applied = await carryOut(session, engineOptions(session, settings, knowledge));
    const { result, ...learned } = await keepKnowledge(applied, knowledge, session);
    return { ...learned, result: { ...result, notes: [...notes, ...result.notes] } };
  } finally {
    unlisten();
  }
}

function carryOut({ plan, mode }: Session, options: ResumeOptions): Promise<Applied> {
  if (mode.kind === 'fresh') return applyMade(plan, options);
  if (mode.kind === 'saved') return applySaved(plan, { ...options, allow: mode.allow });
  return resumeRun(mode.recorded, { ...options, waited: mode.recorded.closed === undefined });
}

function engineOptions(
  { connection, root, secrets, lock, replan }: Session,
  { emit, signal, maxFailures, canary, skipStale = false, random = Math.random }: ApplySettings,
  knowledge: Knowledge,
): ResumeOptions {
  const { service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy } = connection;
  return {
    ...{ emit, signal, maxFailures, canary, skipStale, random },
    ...{ service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy },
    ...{ knowledge, lock, replan },
    runsFolder: runsFolder(root),
    resolveSecret: (ref) => secrets.resolve(ref),
    requests: () => connection.limiter().requests,
  };
}

/** Tells of what the run learned, once; it is kept if it can be. */
async function keepKnowledge(
  applied: Applied,
  before: Knowledge,
  { root, connection }: Session,
): Promise<Applied> {
  const { knowledge, result } = applied;
  if (!isOther(knowledge, before)) return applied;
  const failure = await writeKnowledge(root, connection, knowledge).then(() => [], noteOf);
  return { ...applied, result: { ...result, notes: [...result.notes, learnedText(knowledge), ...failure] } };
}

function noteOf(error: unknown): readonly string[] {
  if (error instanceof WebsitesError) return [error.message];
  throw error;
}

/** The result of a plan without changes: nothing was sent, and the plan itself is the verification. */
export function nothingToDo(plan: Plan, { limiter, where }: Pick<Connection, 'limiter' | 'where'>): Result {
  const proof = { converged: true, residual: [], others: plan.orphans.length };
  return resultOf(plan, NOTHING_DONE, proof, undefined, {
    run: null,
    interrupted: false,
    requests: limiter().requests,
    seconds: 0,
    where,
  });
}

const NOTHING_DONE = { done: [], failures: [], notAttempted: [], stopped: undefined, notes: [] };

/** The exit code of what became of a plan. */
export function exitOf({
  result,
  keyRefused,
  stale,
}: Pick<Applied, 'result' | 'keyRefused' | 'stale'>): ExitCode {
  const codes: ExitCode[] = [];
  if (result.interrupted) codes.push(EXIT.interrupted);
  if (keyRefused) codes.push(EXIT.keyRefused);
  if (stale.length > 0) codes.push(EXIT.stale);
  const { failed, not_attempted } = result.summary;
  const isShort =
    failed > 0 ||
    not_attempted > stale.length ||
    result.converged !== true ||
    result.side_effects !== undefined;
  // Where nothing was sent, because of stale records, there is nothing to verify.
  if (isShort && result.run !== null) codes.push(EXIT.incomplete);
  return worstExit(codes);
}
