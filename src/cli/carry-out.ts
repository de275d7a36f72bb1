/** Carrying out what was approved: the apply engine, its progress on standard error, its result. */
import type { Applied } from '../apply/apply.ts';
import type { Lock } from '../apply/lock.ts';
import type { ResumeOptions } from '../apply/resume.ts';
import type { SecretResolver } from '../config/secrets.ts';
import { EXIT, type ExitCode, worstExit } from '../core/errors.ts';
import type { Plan, PlanOptions } from '../core/plan.ts';
import { RESULT_FORMAT, type Result, type RunEvent } from '../core/run.ts';
import { planEvents } from '../render/event.ts';
import { EVENT_FORMATS } from '../render/index.ts';
import { resultHuman } from '../render/result/human.ts';
import { resultJson } from '../render/result/json.ts';
import { systemClock } from './clock.ts';
import type { Connection } from './connect.ts';
import { interruptible } from './interrupt.ts';
import type { Io } from './io.ts';
import { errOptions, outOptions } from './output.ts';
import { updateLockFile } from './passwords.ts';
import { runsFolder } from './session.ts';
import { tellResult } from './surfaces.ts';

export const RESULT_FORMAT_FLAG = {
  type: 'string',
  choices: ['human', 'json', 'ndjson'],
  describe: 'How to print',
  default: 'human',
} as const;

export interface Work {
  readonly plan: Plan;
  readonly root: string;
  readonly secrets: SecretResolver;
  readonly connection: Connection;
  readonly lock: Lock;
  /** Lists and plans anew, for the proof. */
  readonly replan: (learned: Pick<PlanOptions, 'www'>) => Promise<Plan>;
  readonly flags: {
    readonly format?: string | undefined;
    readonly color?: boolean | undefined;
    readonly 'max-failures'?: number | undefined;
    readonly 'skip-stale'?: boolean | undefined;
    readonly 'write-lock'?: boolean | undefined;
  };
  readonly io: Io;
}

/** Runs one way of applying and reports; returns the exit code. */
export async function carryOut(
  work: Work,
  apply: (options: ResumeOptions) => Promise<Applied>,
): Promise<ExitCode> {
  const { plan, connection, secrets, flags, io, root } = work;
  const emit = listener(plan, flags, io);
  const applied = await interruptible((signal) => {
    signal.addEventListener('abort', () => connection.interrupt(), { once: true });
    return apply({
      service: connection.service,
      clock: systemClock,
      random: Math.random,
      requestTimeoutMs: connection.requestTimeoutMs,
      timeoutMs: connection.timeoutMs,
      parallelism: connection.parallelism,
      ...(flags['max-failures'] === undefined ? {} : { maxFailures: flags['max-failures'] }),
      skipStale: flags['skip-stale'] ?? false,
      runsFolder: runsFolder(root),
      lock: work.lock,
      resolveSecret: (ref) => secrets.resolve(ref),
      replan: work.replan,
      emit,
      signal,
      requests: () => connection.limiter().requests,
    });
  });
  await updateLockFile(
    applied.done,
    { root, secrets },
    connection.fingerprints,
    flags['write-lock'] ?? false,
    io,
  );
  await showResult(applied.result, flags, io);
  return exitOf(applied);
}

/** Reports a plan without changes: nothing was sent, and the plan itself is the proof. */
export async function reportNothing(
  work: Pick<Work, 'plan' | 'connection' | 'flags' | 'io'>,
): Promise<ExitCode> {
  const { plan, connection, flags, io } = work;
  const result: Result = {
    format: RESULT_FORMAT,
    run: null,
    summary: {
      created: 0,
      updated: 0,
      deleted: 0,
      unchanged: plan.summary.unchanged,
      failed: 0,
      not_attempted: 0,
    },
    failures: [],
    not_attempted: [],
    stopped: null,
    interrupted: false,
    converged: true,
    residual: [],
    others: plan.orphans.length,
    notes: [],
    requests: connection.limiter().requests,
    seconds: 0,
  };
  listener(plan, flags, io)({ type: 'run_ended', result });
  if (flags.format === 'json') io.out(resultJson(result));
  return EXIT.done;
}

/** Events as lines: for a program on standard output, for a person on standard error. */
function listener(plan: Plan, flags: Work['flags'], io: Io): (event: RunEvent) => void {
  const isStream = flags.format === 'ndjson';
  const { opening, line } = EVENT_FORMATS[isStream ? 'ndjson' : 'human'];
  const write = isStream ? io.out : io.err;
  const options = errOptions(io, flags);
  if (isStream) write(`${opening}${planEvents(plan)}`);
  return (event) => {
    const text = line(event, options);
    if (text !== undefined) write(text);
  };
}

async function showResult(result: Result, flags: Work['flags'], io: Io): Promise<void> {
  if (flags.format === 'json') io.out(resultJson(result));
  else if (flags.format !== 'ndjson') io.out(resultHuman(result, outOptions(io, flags)));
  await tellResult(result, io);
}

function exitOf({ result, keyRefused, stale }: Applied): ExitCode {
  const codes: ExitCode[] = [];
  if (result.interrupted) codes.push(EXIT.interrupted);
  if (keyRefused) codes.push(EXIT.keyRefused);
  if (stale.length > 0) codes.push(EXIT.stale);
  const { failed, not_attempted } = result.summary;
  const isShort = failed > 0 || not_attempted > stale.length || result.converged === false;
  // Where nothing was sent because of stale records, there is nothing to prove.
  const isUnproven = result.converged === null && result.run !== null;
  if (isShort && !(result.run === null && stale.length > 0)) codes.push(EXIT.incomplete);
  else if (isUnproven) codes.push(EXIT.incomplete);
  return worstExit(codes);
}
