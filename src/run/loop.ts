/**
 * The loop of a run: creates, then updates, then deletes (decision: "A failed record does not stop the others"), in each
 * of these as many changes at once as there are workers.
 */
import { formatInstant } from '../model/instant.ts';
import type { Plan } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import { isImplied } from '../planner/changes.ts';
import { ifSet, type Names, wouldTell } from '../planner/match.ts';
import { listen } from '../util/abort.ts';
import type { ChangeContext, ChangeOutcome } from './change.ts';
import { type Check, staleReason } from './check.ts';
import { type CreateAttempt, stepCreate } from './create.ts';
import { executeDelete } from './delete.ts';
import type { IndexedChange } from './file/write.ts';
import { guardedService } from './guarded-service.ts';
import type { Lock } from './lock/lease.ts';
import { workThrough } from './pool.ts';
import { createTally, type Stop, type Sum, type TallyOptions } from './tally.ts';
import { executeUpdate, type UpdateItem } from './update.ts';
import { createUpdates, inOrder } from './updates.ts';
import { createValues, type Secrets, withSecrets } from './values.ts';
import { type Ahead, writeAhead } from './write-ahead.ts';

export interface LoopOptions
  extends Omit<ChangeContext, 'names' | 'updates' | 'values' | 'begin'>,
    TallyOptions {
  readonly plan: Plan;
  readonly secrets: Secrets;
  readonly lock: Lock;
  readonly parallelism: number;
  /** Aborted: the run was interrupted, and nothing is waited for any more. */
  readonly signal: AbortSignal;
  /** What was found of a plan that was made some time ago. */
  readonly found?: Check | undefined;
}

export interface Execution extends Sum {
  /** Why something was not attempted, if it was not. */
  readonly stopped: string | undefined;
  /** What somebody set of names, or else what the answers to creates showed. */
  readonly names: Names;
  /** What became of settings that updates were not to change, as far as they showed it. */
  readonly restored: readonly Effect[];
  readonly sideEffects: readonly Effect[];
  readonly meanwhile: readonly Effect[];
  /** Values that were left out were seen to stay, and none to be reset. */
  readonly keeps: boolean;
}

/** A change on its way. */
export interface Task extends IndexedChange {
  /** Of a create: how far it has come, and if this run has written it down. */
  attempt?: CreateAttempt;
  isBegun?: boolean;
}

/** What carries out the changes of one plan, some at a time. */
export interface Loop {
  /** What there is to carry out, in the order of the plan. */
  readonly tasks: readonly Task[];
  /** Carries out some of them; once the run has stopped, none. Throws only what is a bug. */
  run(tasks: readonly Task[]): Promise<void>;
  stop(stop: Stop): void;
  /** Whether nothing more is sent. */
  isStopped(): boolean;
  /** What became of all changes of the plan so far, save those that the service showed as carried out before. */
  sum(): Execution;
}

/** Creates in doubt for each request that may be under way, before no further one is begun. */
const ASIDE = 10;

/** Changes for each of these that are written down ahead; after a crash they may have been sent. */
const AHEAD = 4;

export function createLoop(options: LoopOptions): Loop {
  const { plan, parallelism, clock, signal, found, file } = options;
  let ahead: Ahead | undefined;
  const tally = createTally(options);
  const service = guardedService(options.service, options.lock, plan.options);
  const updates = createUpdates({
    rule: plan.options.update,
    traits: () => service.traits,
    stop: tally.stop,
    file,
    shown: found?.shown,
  });
  const names = (): Names => ifSet(plan.options, tally.names);
  const context: ChangeContext = {
    ...options,
    service,
    updates,
    values: createValues(options.secrets, plan.created_at),
    names,
    begin(item, shown) {
      const written = shown === undefined ? ahead?.written(item) : undefined;
      return tally.begin(item, written ?? file.begin(item, formatInstant(clock.now()), shown));
    },
  };
  const unsettled = plan.changes
    .map((change, index): Task => ({ change: withSecrets(change, options.secrets), index }))
    .filter(({ index }) => !found?.done.has(index));
  const isStale = ({ index }: Task): boolean => found?.stale.has(index) ?? false;
  const tasks = unsettled.filter((task) => !isStale(task));
  const lacksCreate = unsettled.some((task) => task.change.action === 'create' && isStale(task));
  const readAt = found?.readAt ?? Date.parse(plan.read_at);
  let leftOut = found?.stale.size ? staleReason(found.stale.size) : undefined;
  const onAbort = (): void => tally.stop({ cause: 'interrupted', reason: 'it was interrupted' });

  async function carryOut(task: Task, isAlone: boolean): Promise<ChangeOutcome | 'alone' | Aside> {
    const { change, index } = task;
    if (change.action === 'update') return executeUpdate({ change, index }, context, isAlone);
    if (change.action === 'delete') return executeDelete({ change, index }, readAt, context);
    task.isBegun ??= await context.begin(task);
    if (!task.isBegun) return { fate: 'withdrawn' };
    task.attempt ??= { change, index, posts: 0 };
    return stepCreate(task.attempt, context, tally.halt.aborted);
  }

  /** Returns those that have to go alone. */
  async function workOn<T extends Task>(some: readonly T[], isAlone = false): Promise<readonly T[]> {
    const later: T[] = [];
    const work = async (task: T): Promise<number | undefined> => {
      const step = await carryOut(task, isAlone);
      if (step === 'alone') later.push(task);
      else if (step.fate === 'aside') return step.until;
      else tally.end(task, step);
      return undefined;
    };
    const isRead = some[0]?.change.action === 'update';
    ahead = isRead ? undefined : writeAhead(some, AHEAD * parallelism, file, clock);
    const mostAside = ASIDE * parallelism;
    await workThrough(some, work, { width: parallelism, mostAside, clock, halt: tally.halt });
    ahead?.end();
    return later;
  }

  /** The first whose answer tells how names relate goes alone: others are named by what it shows. */
  async function runCreates(creates: readonly Task[]): Promise<void> {
    const first = creates.filter(({ change }) => wouldTell(change.domain, names())).slice(0, 1);
    await workOn(first);
    await workOn(creates.filter((task) => !first.includes(task)));
  }

  async function runDeletes(deletes: readonly Task[]): Promise<void> {
    // Half a rename must not lose a website.
    const isUnsafe = lacksCreate || tally.hasFailedCreate;
    const safe = isUnsafe ? deletes.filter(({ change }) => !isImplied(change)) : deletes;
    if (safe.length < deletes.length) leftOut = 'a create did not succeed, so deletes were skipped';
    await workOn(safe);
  }

  return {
    tasks,
    async run(some) {
      if (signal.aborted) onAbort();
      const unlisten = listen(signal, onAbort);
      const of = (action: string): readonly Task[] => some.filter(({ change }) => change.action === action);
      try {
        await runCreates(of('create'));
        await inOrder(of('update') as readonly (Task & UpdateItem)[], updates, workOn);
        await runDeletes(of('delete'));
      } finally {
        unlisten();
      }
    },
    stop: tally.stop,
    isStopped() {
      if (signal.aborted) onAbort();
      return tally.halt.aborted;
    },
    sum() {
      const sum = tally.sum(unsettled);
      const { restored, sideEffects, meanwhile, seen } = updates;
      const keeps = (seen.text || seen.number) && !seen.reset;
      const stopped = sum.stop?.reason ?? leftOut;
      return { ...sum, stopped, names: names(), restored, sideEffects, meanwhile, keeps };
    },
  };
}

type Aside = Extract<Awaited<ReturnType<typeof stepCreate>>, { fate: 'aside' }>;

/** Requests that a list of all records takes; without end where that is not known, or no list is to be had. */
export function listRequestsOf({ complete, cost }: Plan): number {
  return complete && cost.list !== null ? cost.list : Number.POSITIVE_INFINITY;
}
