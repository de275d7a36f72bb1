/** Runs creates, then updates, then deletes (decision: "A failed record does not stop the others"). */
import type { Action, Change, Update } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import type { Failure, Note, Shows, Stop } from '../model/run.ts';
import { type Blame, NOT_SENT, ServiceError } from '../model/service.ts';
import type { WwwRule } from '../model/website.ts';
import { isImplied } from '../planner/changes.ts';
import { type Names, wwwVariant } from '../planner/match.ts';
import { isRisky } from '../planner/update-form.ts';
import { listen } from '../util/abort.ts';
import { inParallel } from '../util/parallel.ts';
import type { Check } from './check.ts';
import { checkedService } from './checked-service.ts';
import {
  type ChangeContext,
  type Ended,
  outcomeOf,
  type RunContext,
  type Sent,
  subjectOf,
} from './context.ts';
import { executeCreate } from './create.ts';
import { executeDelete } from './delete.ts';
import type { IndexedChange, RunFile } from './file/write.ts';
import { executeUpdate } from './update.ts';
import { createUpdates } from './updates.ts';
import { createValues, type Secrets, withSecrets } from './values.ts';

const isWww = ({ domain }: Change): boolean => domain.startsWith('www.');

export type Loop = ReturnType<typeof createLoop>;
export type Execution = ReturnType<Loop['outcome']>;

/** Changes per request slot that may wait for their journal entry on disk while others are sent. */
const QUEUED_PER_SLOT = 8;

export function createLoop(run: RunContext, secrets: Secrets, file: RunFile, found: Check) {
  const { plan, parallelism, clock, signal, emit, factText } = run;
  const halt = new AbortController();
  const breaker = createBreaker(run.maxFailures);
  const turns = createTurns(parallelism);
  const started = new Set<number>();
  const ended = new Map<number, Sent | Failure>();
  let stopped: { readonly reason: string; readonly isInVain: boolean } | undefined;
  let leftOut: Stop | undefined =
    found.stale.size > 0 ? { code: 'stale', count: found.stale.size } : undefined;
  let learned: WwwRule | undefined;
  const service = checkedService(run.service, run.lock, plan.options);
  const updates = createUpdates(plan.options.update, service, file, found.shown);
  const names = (): Names => ({ www: plan.options.www ?? learned });
  const context: ChangeContext = {
    ...{ ...run, service, updates, names, permit, begin, stop, halt: halt.signal },
    values: createValues(secrets, plan.created_at),
  };
  const remaining = plan.changes
    .map((change, index): IndexedChange => ({ change: withSecrets(change, secrets), index }))
    .filter(({ index }) => !found.done.has(index));
  const tasks = remaining.filter(({ index }) => !found.stale.has(index));

  function stop(why: Stop | string, isInVain = false): void {
    if (stopped !== undefined) return;
    const reason = typeof why === 'string' ? why : factText(why);
    stopped = { reason, isInVain };
    emit({ type: 'stopping', reason });
    halt.abort();
  }

  const onAbort = (): void => stop({ code: 'interrupted' }, true);

  function permit(): Promise<void> | undefined {
    if (!halt.signal.aborted) return undefined;
    return Promise.reject(new ServiceError('interrupted', 'The run has stopped.', NOT_SENT));
  }

  async function begin(item: IndexedChange, shown?: Shows): Promise<void> {
    // Queued first, so that entries share a disk sync while their changes wait for a turn.
    const waitForDisk = file.begin(item, formatInstant(clock.now()), shown);
    const isFirst = !started.has(item.index);
    started.add(item.index);
    if (isFirst) await turns.take();
    await waitForDisk().catch((error) => {
      if (!(error instanceof WebsitesError)) throw error;
      stop(error.message);
    });
    await permit();
    if (isFirst) emit({ type: 'change_started', ...subjectOf(item.change) });
  }

  function learnNames(change: Change, note: Note | undefined): void {
    if (change.action !== 'create' || !isWww(change) || learned === 'same') return;
    const wrote = note && 'domain' in note && domainKey(note.domain);
    learned = wrote === wwwVariant(change.domain) ? 'same' : 'distinct';
  }

  async function runChange(item: IndexedChange): Promise<void> {
    const { change, index } = item;
    try {
      const end = await executeChange(item);
      const { id, left, note } = end;
      ended.set(index, { ...item, ...end });
      file.end(item, { outcome: note?.code === 'found' ? 'not_attempted' : 'done', id, left });
      emit({ type: 'change_done', ...subjectOf(change), id, note: note && factText(note) });
      learnNames(change, note);
      trip('done');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fail(item, error);
    } finally {
      if (started.has(index)) turns.give();
    }
  }

  function executeChange({ change, index }: IndexedChange): Promise<Ended> {
    if (change.action === 'create') return executeCreate({ change, index }, context);
    if (change.action === 'update') return executeUpdate({ change, index }, context);
    return executeDelete({ change, index }, found.readAt, context);
  }

  function fail(item: IndexedChange, error: ServiceError): void {
    const outcome = outcomeOf(error);
    const { code, status, message, remedy, attempts, asksTooMuch } = error;
    if (outcome === 'not_attempted') file.end(item, { outcome });
    else {
      const failure = { ...subjectOf(item.change), outcome, code, status, message, remedy, attempts };
      ended.set(item.index, failure);
      file.end(item, { outcome, message });
      emit({ type: 'change_failed', ...failure });
    }
    // If the list mixes up IDs, any change could hit the wrong record. After 402 or 403, no write succeeds.
    const endsRun = asksTooMuch || code === 'id-mismatch' || status === 403 || status === 402;
    if (endsRun || IN_VAIN.has(code)) stop(message, IN_VAIN.has(code));
    if (outcome !== 'not_attempted') trip(error.blame);
  }

  function trip(outcome: 'done' | Blame): void {
    const reason = breaker(outcome);
    if (reason !== undefined) stop(reason);
  }

  /**
   * Creates that show how the service treats `www.`, and updates that show how it treats omitted settings, go first.
   * Risky updates go last.
   */
  function* stagesOf(some: readonly IndexedChange[]): Generator<readonly IndexedChange[]> {
    const of = <A extends Action>(action: A) =>
      some.filter(
        (task): task is IndexedChange<Extract<Change, { action: A }>> => task.change.action === action,
      );
    const creates = of('create');
    const first = names().www === undefined ? creates.filter(({ change }) => isWww(change)).slice(0, 1) : [];
    yield first;
    yield creates.filter((task) => !first.includes(task));
    const all = of('update');
    const isFirst = ({ change }: IndexedChange<Update>): boolean =>
      updates.goesAlone(change, updates.olderOf(change));
    const safe = all.filter(({ change }) => !isRisky(change));
    const telling = new Set(safe.filter(isFirst));
    yield [...telling, ...safe.filter((task) => !telling.has(task))];
    yield all.filter(({ change }) => isRisky(change));
    const deletes = of('delete');
    // A failed create may be half of a rename. Then the delete would lose the website.
    const isLost = ({ change, index }: IndexedChange): boolean =>
      change.action === 'create' && !isDone(ended.get(index));
    const certain = remaining.some(isLost) ? deletes.filter(({ change }) => !isImplied(change)) : deletes;
    if (certain.length < deletes.length) leftOut = { code: 'create-failed' };
    yield certain;
  }

  return {
    tasks,
    /** Runs the given tasks. Starts no task after the run has stopped. Throws only on a bug. */
    async run(some: readonly IndexedChange[]): Promise<void> {
      if (signal.aborted) onAbort();
      const unlisten = listen(signal, onAbort);
      try {
        for (const stage of stagesOf(some)) {
          // Records are read before they are updated. If more updates start than can be sent, the readings get too old.
          const isRead = stage[0]?.change.action === 'update' && updates.rule !== 'changed';
          await inParallel(
            stage,
            isRead ? parallelism : QUEUED_PER_SLOT * parallelism,
            runChange,
            halt.signal,
          );
        }
      } finally {
        unlisten();
      }
    },
    stop,
    isStopped(): boolean {
      if (signal.aborted) onAbort();
      return halt.signal.aborted;
    },
    /** Returns the outcome of all changes, except those that the service already showed as done. */
    outcome() {
      const { restored, sideEffects, meanwhile, seen } = updates;
      const keeps = (seen.text || seen.number) && !seen.reset;
      return {
        ...sumUp(remaining, ended),
        ...{ restored, sideEffects, meanwhile, keeps, names: names() },
        stopped: stopped?.reason ?? (leftOut ? factText(leftOut) : null),
        isInVain: stopped?.isInVain === true,
      };
    },
  };
}

function createTurns(width: number) {
  let free = width;
  const waiting: (() => void)[] = [];
  return {
    async take(): Promise<void> {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
    },
    give(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

function isDone(end: Sent | Failure | undefined): end is Sent {
  return end !== undefined && !('outcome' in end);
}

function sumUp(items: readonly IndexedChange[], ended: ReadonlyMap<number, Sent | Failure>) {
  const done: Sent[] = [];
  const failures: Failure[] = [];
  const notAttempted: IndexedChange[] = [];
  let found = 0;
  for (const item of items) {
    const end = ended.get(item.index);
    if (end === undefined) notAttempted.push(item);
    else if (!isDone(end)) failures.push(end);
    else if (end.note?.code === 'found') found += 1;
    else done.push(end);
  }
  return { done, found, failures, notAttempted };
}

/** After an error with one of these codes no response would be reliable, so nothing is verified. */
const IN_VAIN: ReadonlySet<string> = new Set(['interrupted', 'key-refused', 'lock-lost']);

/** Limits of consecutive service failures, and of the share of failures once MIN_ENDED changes have ended. */
const MAX_IN_A_ROW = 10;
const MAX_SHARE = 0.2;
const MIN_ENDED = 50;

/** Failures of the kind `record` (422, 404) concern one record, so they do not count as failures in a row. */
export function createBreaker(maxFailures: number | undefined) {
  let row = 0;
  let failed = 0;
  let ended = 0;
  return (outcome: 'done' | Blame): Stop | undefined => {
    ended += 1;
    if (outcome === 'done') row = 0;
    else failed += 1;
    if (outcome === 'service') row += 1;
    if (maxFailures !== undefined)
      return failed > 0 && failed >= maxFailures ? { code: 'failed', count: failed } : undefined;
    if (row >= MAX_IN_A_ROW) return { code: 'failed-in-row', count: row };
    const isMuch = ended >= MIN_ENDED && failed / ended >= MAX_SHARE;
    return isMuch ? { code: 'failed-share', count: failed, of: ended } : undefined;
  };
}
