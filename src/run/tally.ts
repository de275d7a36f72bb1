/**
 * What becomes of the changes of a run, as it happens: written to the run file, told as events, counted
 * against the breaker, and added up at the end.
 */

import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Done, Failure, RunEvent, Subject } from '../model/run.ts';
import type { Blame, ServiceError } from '../model/service.ts';
import { namesToldBy, type Settled } from '../planner/match.ts';
import { some } from '../util/text.ts';
import type { Breaker } from './breaker.ts';
import type { ChangeOutcome } from './change.ts';
import type { IndexedChange, RunFile } from './file/write.ts';

/** Why a run starts no new work. */
export interface Stop {
  readonly cause:
    | 'interrupted'
    | 'key-refused'
    | 'id-mismatch'
    | 'refused'
    | 'failures'
    | 'canary'
    | 'lock-lost'
    | 'run-file'
    | 'pin';
  readonly reason: string;
}

export interface TallyOptions {
  readonly file: RunFile;
  readonly breaker: Breaker;
  readonly emit: (event: RunEvent) => void;
}

export interface Tally {
  /** Aborted once the run starts no new work. */
  readonly halt: AbortSignal;
  stop(stop: Stop): void;
  /** Has a change written down before anything of it is sent; false where it is not to be sent, as the run stops. */
  begin(item: IndexedChange, written: Promise<void>): Promise<boolean>;
  end(item: IndexedChange, verdict: ChangeOutcome): void;
  /** A create ended, and otherwise than done. */
  readonly hasFailedCreate: boolean;
  /** What the answers to creates showed of names. */
  readonly names: Settled;
  /** What became of `items`, in their order. */
  sum(items: readonly IndexedChange[]): Sum;
}

export interface Sum {
  readonly done: readonly Done[];
  /** Changes whose records were as planned already. */
  readonly found: number;
  readonly failures: readonly Failure[];
  readonly notAttempted: readonly Change[];
  readonly stop: Stop | undefined;
  readonly keyRefused: boolean;
  /** Things worth knowing, in words. */
  readonly notes: readonly string[];
}

export function createTally({ file, breaker, emit }: TallyOptions): Tally {
  const halt = new AbortController();
  const started = new Set<number>();
  const ended = new Map<number, ChangeOutcome>();
  let stopped: Stop | undefined;
  let keyRefused = false;
  let hasFailedCreate = false;
  let names: Settled = {};

  function stop(why: Stop): void {
    if (stopped !== undefined) return;
    stopped = why;
    emit({ type: 'stopping', reason: why.reason });
    halt.abort();
  }

  function done(item: IndexedChange, verdict: ChangeOutcome & { fate: 'done' }): void {
    const { change } = item;
    const { id, note, wrote, left } = verdict;
    file.end(item, { fate: 'done', id, left });
    const event = { type: 'change_done', ...subjectOf(change), id } as const;
    emit(note === undefined ? event : { ...event, note });
    count('done');
    if (change.action === 'create') names = namesToldBy(change.domain, wrote, names);
  }

  function failed(item: IndexedChange, fate: Failure['fate'], error: ServiceError): void {
    const failure = failureOf(item.change, fate, error);
    file.end(item, { fate, message: failure.message });
    emit({ type: 'change_failed', ...failure });
    const why = stopOf(error);
    if (why?.cause === 'key-refused') keyRefused = true;
    if (why !== undefined) stop(why);
    count(error.blame);
  }

  function found({ change }: IndexedChange): void {
    emit({
      type: 'change_done',
      ...subjectOf(change),
      note: 'it was as planned already, so nothing was sent',
    });
    count('done');
  }

  function count(outcome: 'done' | Blame): void {
    const reason = breaker.count(outcome);
    if (reason !== undefined) stop({ cause: 'failures', reason });
  }

  function end(item: IndexedChange, verdict: ChangeOutcome): void {
    ended.set(item.index, verdict);
    const isDone = verdict.fate === 'done' || verdict.fate === 'found';
    if (item.change.action === 'create' && !isDone) hasFailedCreate = true;
    if (verdict.fate === 'done') done(item, verdict);
    else if (verdict.fate === 'found') found(item);
    else if (verdict.fate !== 'withdrawn') failed(item, verdict.fate, verdict.error);
    else {
      file.end(item, { fate: 'not_attempted' });
      const why = verdict.error && stopOf(verdict.error);
      if (why !== undefined) stop(why);
    }
  }

  return {
    halt: halt.signal,
    stop,
    async begin(item, written) {
      try {
        await written;
      } catch (error) {
        if (!(error instanceof WebsitesError)) throw error;
        stop({ cause: 'run-file', reason: error.message });
      }
      if (halt.signal.aborted) return false;
      if (!started.has(item.index)) emit({ type: 'change_started', ...subjectOf(item.change) });
      started.add(item.index);
      return true;
    },
    end,
    get hasFailedCreate() {
      return hasFailedCreate;
    },
    get names() {
      return names;
    },
    sum: (items) => ({ ...sumUp(items, ended), stop: stopped, keyRefused }),
  };
}

function sumUp(items: readonly IndexedChange[], ended: ReadonlyMap<number, ChangeOutcome>) {
  const done: Done[] = [];
  const failures: Failure[] = [];
  const notAttempted: Change[] = [];
  const noted = new Map<string, string[]>();
  let found = 0;
  for (const { change, index } of items) {
    const outcome = ended.get(index) ?? { fate: 'withdrawn' };
    switch (outcome.fate) {
      case 'done': {
        const { id, last, left, note } = outcome;
        done.push({ change, id, ...(last && { last }), ...(left && { left }) });
        if (note !== undefined) noted.set(note, [...(noted.get(note) ?? []), change.domain]);
        break;
      }
      case 'found':
        found += 1;
        break;
      case 'withdrawn':
        notAttempted.push(change);
        break;
      default:
        failures.push(failureOf(change, outcome.fate, outcome.error));
    }
  }
  const notes = [...noted].map(([note, domains]) => `${some(domains)}: ${note}.`);
  return { done, found, failures, notAttempted, notes };
}

/** Whether a failure ends the run (decision: "A failed record does not stop the others"). */
function stopOf({ code, status, message, asksTooMuch }: ServiceError): Stop | undefined {
  if (code === 'key-refused' || code === 'lock-lost' || code === 'interrupted') {
    return { cause: code, reason: message };
  }
  // The plan is of a list that mixes ids up: who knows what the next write would change.
  if (code === 'id-mismatch') return { cause: code, reason: message };
  if (asksTooMuch) return { cause: 'failures', reason: message };
  // No other write of this key will fare better: its rights, or the limit of its plan, are in the way.
  return status === 403 || status === 402 ? { cause: 'refused', reason: message } : undefined;
}

/** What names a change in events and results. */
export function subjectOf(change: Change): Subject {
  const { action, domain, source } = change;
  if (action === 'create') return { action, domain, source };
  const { id } = change;
  return source === undefined ? { action, domain, id } : { action, domain, id, source };
}

function failureOf(change: Change, fate: Failure['fate'], error: ServiceError): Failure {
  return {
    ...subjectOf(change),
    fate,
    code: error.code,
    ...(error.status === undefined ? {} : { status: error.status }),
    message: error.message,
    ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
    attempts: error.attempts,
  };
}
