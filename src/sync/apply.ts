/** Carrying out a plan with a connection: the apply engine, and what is kept beside the files. */
import type { Applied } from '../apply/apply.ts';
import { resultOf } from '../apply/result.ts';
import { applyMade, applySaved, type ResumeOptions, resumeRun } from '../apply/resume.ts';
import { readOnce, type SecretResolver } from '../config/secrets/resolve.ts';
import { EXIT, type ExitCode, WebsitesError, worstExit } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Result } from '../model/run.ts';
import { type Knowledge, learnedText } from '../update/knowledge.ts';
import { listen } from '../util/abort.ts';
import type { Connection } from './connect.ts';
import { putInDoubt, type Sent, updateLockFile } from './passwords.ts';
import { isOther, readKnowledge, writeKnowledge } from './service-file.ts';
import type { Session } from './session.ts';
import { runsFolder } from './state.ts';

export interface ApplySettings
  extends Pick<ResumeOptions, 'emit' | 'signal' | 'maxFailures' | 'canary' | 'batchSize'> {
  readonly skipStale?: boolean | undefined;
  /** Begin a websites.lock where there is none. */
  readonly trackPasswords?: boolean | undefined;
  /** What the result says before its own notes. */
  readonly notes?: readonly string[];
  /** From 0 up to, not including, 1. */
  readonly random?: () => number;
}

/** What became of it, and whether websites.lock has changed and must be committed. */
export interface Carried extends Applied {
  readonly lockChanged: boolean;
  /** Why websites.lock could not be written, which is a note in the result too. */
  readonly lockFailure?: WebsitesError;
}

/**
 * Carries out the plan of a session, in the mode that it was opened for, and writes websites.lock. Throws
 * `guard-refused`, `secret-missing`, `interrupted` and `file-failed` before anything is sent; what fails later is in the
 * result.
 */
export async function apply(session: Session, settings: ApplySettings): Promise<Carried> {
  const { signal, notes = [], trackPasswords = false } = settings;
  const { connection, root } = session;
  const passwords = await doubtPasswords(session);
  const unlisten = listen(signal, connection.interrupt);
  try {
    const knowledge = await readKnowledge(root, connection);
    const applied = await carryOut(session, engineOptions(session, settings, passwords.secrets, knowledge));
    const { result, ...learned } = await keepKnowledge(applied, knowledge, session);
    return await passwords.keep(
      { ...learned, result: { ...result, notes: [...notes, ...result.notes] } },
      trackPasswords,
    );
  } catch (error) {
    await passwords.giveBack(error);
    throw error;
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
  { connection, root, lock, replan }: Session,
  { emit, signal, maxFailures, canary, batchSize, skipStale = false, random = Math.random }: ApplySettings,
  secrets: SecretResolver,
  knowledge: Knowledge,
): ResumeOptions {
  const { service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy } = connection;
  return {
    ...{ emit, signal, maxFailures, canary, batchSize, skipStale, random },
    ...{ service, clock, requestTimeoutMs, timeoutMs, parallelism, where, seals, madeBy },
    ...{ knowledge, lock, replan },
    runsFolder: runsFolder(root),
    resolveSecret: (ref) => secrets.resolve(ref),
    requests: () => connection.limiter().requests,
  };
}

/** Passwords that are in doubt in websites.lock, until it is known what became of them. */
interface DoubtedPasswords {
  /** Gives each secret as it was first read. */
  readonly secrets: SecretResolver;
  /** Writes down what became of them; `begin` makes the file where there is none. */
  keep(applied: Applied, begin: boolean): Promise<Carried>;
  /** Takes the doubt back where an error tells that nothing was sent: any but a bug. */
  giveBack(error: unknown): Promise<void>;
}

/**
 * Puts the passwords that a plan sends in doubt in websites.lock, which is done before the first write. Throws
 * `file-failed` where that file is damaged.
 */
export async function doubtPasswords(
  session: Pick<Session, 'plan' | 'connection' | 'root' | 'secrets'>,
): Promise<DoubtedPasswords> {
  const { plan, root, connection } = session;
  const secrets = readOnce(session.secrets);
  const before = await putInDoubt(plan.changes, root, connection.fingerprints, plan.options.www);
  return {
    secrets,
    keep: (applied, begin) => keepPasswords(applied, { ...session, secrets }, begin, before),
    async giveBack(error) {
      if (!(error instanceof WebsitesError)) return;
      const nothing = { done: [], before };
      await updateLockFile(nothing, { root, secrets }, connection.fingerprints, false).catch(() => {});
    },
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

/** By then all is done: that websites.lock cannot be written takes nothing from the result. */
async function keepPasswords(
  applied: Applied,
  { plan, connection, root, secrets }: Pick<Session, 'plan' | 'connection' | 'root' | 'secrets'>,
  begin: boolean,
  before: Sent['before'],
): Promise<Carried> {
  const { result, done, earlier } = applied;
  const failures = result.failures.filter(({ fate }) => fate === 'unknown');
  const unknown = new Set(failures.map(({ domain }) => domain));
  const sent = { done, earlier, before, unknown, www: plan.options.www };
  try {
    const lockChanged = await updateLockFile(sent, { root, secrets }, connection.fingerprints, begin);
    return { ...applied, lockChanged };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    const notes = [...result.notes, error.message];
    return { ...applied, result: { ...result, notes }, lockChanged: false, lockFailure: error };
  }
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
  lockFailure,
}: Pick<Carried, 'result' | 'keyRefused' | 'stale' | 'lockFailure'>): ExitCode {
  const codes: ExitCode[] = lockFailure === undefined ? [] : [lockFailure.exit];
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
