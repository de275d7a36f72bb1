/**
 * Carrying out changes of a plan: three phases with a barrier between
 * (decision: "A failed record does not stop the others"), in each as many changes at once as there are workers.
 */

import type { IndexedChange } from '../journal/writer.ts';
import { PRIVACY } from '../model/field-table.ts';
import type { Plan } from '../model/plan.ts';
import type { WwwRule } from '../model/website.ts';
import { isImplied } from '../planner/changes.ts';
import type { Knowledge } from '../update/knowledge.ts';
import { listen } from '../util/abort.ts';
import { type BaseReader, createBaseReader } from './changes/base-values.ts';
import type { ExecutionContext } from './changes/context.ts';
import { type CreateAttempt, type CreateStep, doubtfulCreate, stepCreate } from './changes/create.ts';
import { executeDelete } from './changes/delete.ts';
import { createValues, type Secrets } from './changes/payload.ts';
import { executeUpdate } from './changes/update.ts';
import { createUpdates, type Updates } from './changes/updates.ts';
import { type Check, staleReason } from './checks/staleness.ts';
import { underName } from './identity-guard.ts';
import {
  createRunRecorder,
  type RunRecorder,
  type RunRecorderOptions,
  type Stop,
  type Sum,
} from './run-recorder.ts';
import { workThrough } from './worker-pool.ts';
import { type Ahead, writeAhead } from './write-ahead.ts';

export interface ExecuteOptions
  extends Omit<ExecutionContext, 'www' | 'updates' | 'values'>,
    RunRecorderOptions {
  readonly secrets: Secrets;
  /** What earlier runs learned of the service. */
  readonly knowledge: Knowledge;
  readonly parallelism: number;
}

/** What an earlier run has left of a plan, by index. */
export interface Earlier extends Omit<Check, 'done'> {
  /** Changes that are carried out, with the id of the record if there is one. */
  readonly settled: ReadonlyMap<number, string | undefined>;
  /** Changes that may have been sent, and whose records do not show it. */
  readonly doubtful: ReadonlySet<number>;
  /** Domains that were created, and are not there any more. */
  readonly vanished: readonly string[];
  /** For so long what was sent may be under way from now on; as long as one request, if nothing is said. */
  readonly underWayMs?: number;
}

export interface Execution extends Sum {
  /** Why something was not attempted, if it was not. */
  readonly stopped: string | undefined;
  /** What the service was seen to make of a leading `www.`. */
  readonly www: WwwRule | undefined;
  /** What became of settings that updates were not to change, as far as they told. */
  readonly restored: Updates['restored'];
  readonly sideEffects: Updates['sideEffects'];
  /** How many records have something that is to be put back, and is not. */
  readonly owed: number;
  /** What is known of the service by now. */
  readonly knowledge: Knowledge;
}

/** Creates in doubt for each worker, before no further one is begun. */
const ASIDE_PER_WORKER = 10;

/** Changes for each worker that are written down before their turn, at the least: after a crash they may have been sent. */
const AHEAD_PER_WORKER = 4;

/** A change with how far it has come. */
export interface Task extends IndexedChange {
  isBegun: boolean;
  /** Of a create. */
  attempt?: CreateAttempt;
}

/** What carries out the changes of one plan, some at a time. */
export interface Executor {
  /** What there is to carry out, in the order of the plan. */
  readonly tasks: readonly Task[];
  /** Carries out some of them, in their order; once the run has stopped, none. Throws only what is a bug. */
  run(tasks: readonly Task[]): Promise<void>;
  stop(stop: Stop): void;
  /** Whether nothing more is sent. */
  isStopped(): boolean;
  /** What became of all changes of the plan so far, save those that an earlier run had settled. */
  sum(): Execution;
}

export function createExecutor(plan: Plan, options: ExecuteOptions, earlier?: Earlier): Executor {
  const { parallelism, clock, signal } = options;
  const recorder = createRunRecorder(options);
  const unsettled = plan.changes
    .map((change, index): Task => ({ change, index, isBegun: false }))
    .filter(({ index }) => !earlier?.settled.has(index));
  // Whoever was killed sends nothing from now on.
  const safeAt = clock.monotonic() + (earlier?.underWayMs ?? options.requestTimeoutMs);
  for (const task of unsettled) {
    const { change, index } = task;
    const isDoubtful = change.action === 'create' && earlier?.doubtful.has(index);
    if (isDoubtful) task.attempt = doubtfulCreate(change, safeAt);
  }
  const isStale = ({ index }: Task): boolean => earlier?.stale.has(index) ?? false;
  const tasks = riskyLast(unsettled.filter((task) => !isStale(task)));
  const lacksCreate = unsettled.some((task) => task.change.action === 'create' && isStale(task));
  const [gone] = earlier?.vanished ?? [];
  const { service, journal, emit, knowledge } = options;
  const { stop, halt } = recorder;
  const rule = plan.options.update;
  const shown = earlier?.shown;
  const updates = createUpdates({ rule, knowledge, service, journal, emit, stop, shown });
  const asking = tasks.filter(({ change }) => change.action === 'delete').length;
  const work = createWork(plan, asking, recorder, updates, options, earlier);
  const schedule = { width: parallelism, mostAside: ASIDE_PER_WORKER * parallelism, clock, halt };
  const onAbort = (): void => recorder.stop({ cause: 'interrupted', reason: 'it was interrupted' });
  let leftOut = earlier?.stale.size ? staleReason(earlier.stale.size) : undefined;

  async function runPhase(phase: readonly Task[]): Promise<void> {
    // Half a rename must not lose a website.
    const isUnsafe = gone !== undefined || lacksCreate || recorder.hasFailedCreate;
    const safe = isUnsafe ? phase.filter(({ change }) => !isImplied(change)) : phase;
    if (safe.length < phase.length) {
      const reason = gone ? `${gone}, created earlier, no longer exists` : 'a create did not succeed';
      leftOut = `${reason}, so deletes were skipped`;
    }
    const ahead = writeAhead(safe, AHEAD_PER_WORKER * parallelism, recorder);
    await workThrough(safe, (task) => work(task, ahead), schedule);
    await ahead.end();
  }

  return {
    tasks,
    async run(some) {
      if (signal.aborted) onAbort();
      const unlisten = listen(signal, onAbort);
      try {
        for (const phase of phasesOf(some)) await runPhase(phase);
      } finally {
        unlisten();
      }
    },
    stop: recorder.stop,
    isStopped() {
      if (signal.aborted) onAbort();
      return recorder.halt.aborted;
    },
    sum() {
      const sum = recorder.sum(unsettled);
      const { restored, sideEffects, learning, owed } = updates;
      return {
        ...sum,
        stopped: sum.stop?.reason ?? leftOut,
        www: recorder.www,
        restored,
        sideEffects,
        owed: owed.size,
        knowledge: learning.knowledge,
      };
    },
  };
}

/** Changes of one action together, in the order of the plan. */
function phasesOf(tasks: readonly Task[]): Iterable<readonly Task[]> {
  const actions = new Set(tasks.map(({ change }) => change.action));
  return [...actions].map((action) => tasks.filter(({ change }) => change.action === action));
}

/**
 * With updates of websites behind a password that is not declared after the other updates: by then the run may have
 * learned that the service keeps it.
 */
function riskyLast(tasks: readonly Task[]): readonly Task[] {
  const isRisky = ({ change }: Task): boolean =>
    change.action === 'update' &&
    change.before.privacy === PRIVACY.password &&
    (change.fields.password ?? change.alongside.password) === undefined;
  const at = tasks.findLastIndex(({ change }) => change.action === 'update') + 1;
  const [head, tail] = [tasks.slice(0, at), tasks.slice(at)];
  return [...head.filter((task) => !isRisky(task)), ...head.filter(isRisky), ...tail];
}

/** One step of one change, as workThrough calls for it. */
function createWork(
  plan: Plan,
  asking: number,
  recorder: RunRecorder,
  updates: Updates,
  options: ExecuteOptions,
  earlier: Earlier | undefined,
): (task: Task, ahead: Ahead) => Promise<number | undefined> {
  const { www } = plan.options;
  const values = createValues(options.secrets, plan.created_at);
  const service = underName(options.service, www);
  const context: ExecutionContext = { ...options, service, updates, values, www: () => www ?? recorder.www };
  const base = createBaseReader(service, options.clock, {
    www,
    readAt: earlier?.readAt ?? Date.parse(plan.read_at),
    asking,
    listRequests: listRequestsOf(plan),
  });

  return async (task, ahead) => {
    if (!task.isBegun) {
      const turn = ahead.turn(task);
      task.isBegun = typeof turn === 'boolean' ? turn : await turn;
      if (!task.isBegun) return undefined;
      recorder.start(task);
    }
    const step = await carryOut(task, base, context, recorder.halt);
    if (step.fate === 'aside') return step.until;
    recorder.end(task, step);
    return undefined;
  };
}

function carryOut(
  task: Task,
  base: BaseReader,
  context: ExecutionContext,
  halt: AbortSignal,
): CreateStep | Promise<CreateStep> {
  const { change, index } = task;
  if (change.action === 'update') return executeUpdate({ change, index }, context, halt);
  if (change.action === 'delete') return executeDelete(change, base, context);
  task.attempt ??= { change, posts: 0 };
  return stepCreate(task.attempt, context, halt.aborted);
}

/** Requests that a list of all records takes; without end where that is not known, or no list is to be had. */
export function listRequestsOf({ complete, cost }: Plan): number {
  return complete && cost.list !== null ? cost.list : Number.POSITIVE_INFINITY;
}
