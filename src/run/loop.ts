/** Runs creates, then updates, then deletes (decision: "A failed record does not stop the others"). */
import type { Update } from '../model/change.ts';
import { formatInstant } from '../model/instant.ts';
import type { Plan } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import { isImplied } from '../planner/changes.ts';
import { ifSet, type Names, wouldSettleNames } from '../planner/match.ts';
import { listen } from '../util/abort.ts';
import type { ChangeContext, Verdict } from './change.ts';
import { type Check, staleReason } from './check.ts';
import { executeCreate } from './create.ts';
import { executeDelete } from './delete.ts';
import type { IndexedChange } from './file/write.ts';
import { guardedService } from './guarded-service.ts';
import type { Lock } from './lock.ts';
import { createTally, type Sum, type TallyOptions } from './tally.ts';
import { createTurns } from './turns.ts';
import { executeUpdate } from './update.ts';
import { createUpdates, inOrder } from './updates.ts';
import { createValues, type Secrets, withSecrets } from './values.ts';

export interface LoopOptions
  extends Omit<ChangeContext, 'names' | 'updates' | 'values' | 'begin' | 'halt' | 'pause'>,
    TallyOptions {
  readonly plan: Plan;
  readonly secrets: Secrets;
  readonly lock: Lock;
  readonly parallelism: number;
  /** Aborted when the run is interrupted: nothing waits after that. */
  readonly signal: AbortSignal;
  readonly found?: Check | undefined;
}

export interface Execution extends Sum {
  readonly stopped: string | undefined;
  /** The names that the configuration sets, or that responses to creates showed. */
  readonly names: Names;
  readonly restored: readonly Effect[];
  readonly sideEffects: readonly Effect[];
  readonly meanwhile: readonly Effect[];
  /** Omitted values were seen to stay, and none to be reset. */
  readonly keeps: boolean;
}

export type Loop = ReturnType<typeof createLoop>;

export function createLoop(options: LoopOptions) {
  const { plan, parallelism, clock, signal, found, file } = options;
  const tally = createTally(options);
  const turns = createTurns(parallelism, tally.halt);
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
    halt: tally.halt,
    pause: (milliseconds) => turns.without(clock.sleep(milliseconds, tally.halt)),
    begin(item, shown) {
      const written = file.begin(item, formatInstant(clock.now()), shown);
      return tally.begin(item, shown?.at === undefined ? turns.without(written) : written);
    },
  };
  const unsettled = plan.changes
    .map((change, index): IndexedChange => ({ change: withSecrets(change, options.secrets), index }))
    .filter(({ index }) => !found?.done.has(index));
  const isStale = ({ index }: IndexedChange): boolean => found?.stale.has(index) ?? false;
  const tasks = unsettled.filter((task) => !isStale(task));
  const lacksCreate = unsettled.some((task) => task.change.action === 'create' && isStale(task));
  const readAt = found?.readAt ?? Date.parse(plan.read_at);
  let leftOut = found?.stale.size ? staleReason(found.stale.size) : undefined;
  const onAbort = (): void => tally.stop({ cause: 'interrupted', reason: 'it was interrupted' });

  function carryOut({ change, index }: IndexedChange, isAlone: boolean): Promise<Verdict | 'alone'> {
    if (change.action === 'create') return executeCreate({ change, index }, context);
    if (change.action === 'delete') return executeDelete({ change, index }, readAt, context);
    return executeUpdate({ change, index }, context, isAlone);
  }

  async function workOn<T extends IndexedChange>(some: readonly T[], isAlone = false): Promise<readonly T[]> {
    const later: T[] = [];
    await turns.each(some, async (item) => {
      const verdict = await carryOut(item, isAlone);
      if (verdict === 'alone') later.push(item);
      else tally.end(item, verdict);
    });
    return later;
  }

  /** The first create whose response shows how names relate runs alone: the rest are matched by it. */
  async function runCreates(creates: readonly IndexedChange[]): Promise<void> {
    const first = creates.filter(({ change }) => wouldSettleNames(change.domain, names())).slice(0, 1);
    await workOn(first);
    await workOn(creates.filter((task) => !first.includes(task)));
  }

  async function runDeletes(deletes: readonly IndexedChange[]): Promise<void> {
    // Half a rename must not lose a website.
    const isUnsafe = lacksCreate || tally.hasFailedCreate;
    const safe = isUnsafe ? deletes.filter(({ change }) => !isImplied(change)) : deletes;
    if (safe.length < deletes.length) leftOut = 'a create did not succeed, so deletes were skipped';
    await workOn(safe);
  }

  return {
    /** In the order of the plan. */
    tasks,
    /** Runs some of the tasks; none once the run has stopped. Throws only on a bug. */
    async run(some: readonly IndexedChange[]): Promise<void> {
      if (signal.aborted) onAbort();
      const unlisten = listen(signal, onAbort);
      const of = (action: string): readonly IndexedChange[] =>
        some.filter(({ change }) => change.action === action);
      try {
        await runCreates(of('create'));
        await inOrder(of('update') as readonly IndexedChange<Update>[], updates, workOn);
        await runDeletes(of('delete'));
      } finally {
        unlisten();
      }
    },
    stop: tally.stop,
    isStopped(): boolean {
      if (signal.aborted) onAbort();
      return tally.halt.aborted;
    },
    /** Counts all changes of the plan, except those that the service showed as done at the start. */
    sum(): Execution {
      const sum = tally.sum(unsettled);
      const { restored, sideEffects, meanwhile, seen } = updates;
      const keeps = (seen.text || seen.number) && !seen.reset;
      const stopped = sum.stop?.reason ?? leftOut;
      return { ...sum, stopped, names: names(), restored, sideEffects, meanwhile, keeps };
    },
  };
}

/** Requests for a list of all records; Infinity if it is unknown, or no list is available. */
export function listRequestsOf({ complete, cost }: Plan): number {
  return complete && cost.list !== null ? cost.list : Number.POSITIVE_INFINITY;
}
