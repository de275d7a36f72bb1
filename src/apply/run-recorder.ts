/**
 * What becomes of the changes of a run, as it happens: written to the journal, told as events, counted
 * against the breaker, and added up at the end.
 */

import type { IndexedChange, Journal } from '../journal/writer.ts';
import { type Change, withoutPassword } from '../model/change.ts';
import { wwwVariant } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { formatInstant } from '../model/instant.ts';
import type { Done, Failure, RunEvent, Subject } from '../model/run.ts';
import type { Blame, ServiceError } from '../model/service.ts';
import type { WwwRule } from '../model/website.ts';
import type { Clock } from '../util/clock.ts';
import { some } from '../util/text.ts';
import type { ChangeOutcome } from './changes/outcome.ts';
import type { Breaker } from './circuit-breaker.ts';

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
    | 'journal'
    | 'pin';
  readonly reason: string;
}

export interface RunRecorderOptions {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly breaker: Breaker;
  readonly emit: (event: RunEvent) => void;
}

export interface RunRecorder {
  /** Aborted once the run starts no new work. */
  readonly halt: AbortSignal;
  stop(stop: Stop): void;
  /** Writes changes down, before anything of them is sent; false where that fails, and the run stops. */
  begin(items: readonly IndexedChange[]): Promise<boolean>;
  /** The change is about to be sent. */
  start(item: IndexedChange): void;
  end(item: IndexedChange, verdict: ChangeOutcome): void;
  /** A create ended, and otherwise than done. */
  readonly hasFailedCreate: boolean;
  /** What the service was seen to make of a leading `www.`. */
  readonly www: WwwRule | undefined;
  /** What became of `items`, in their order. */
  sum(items: readonly IndexedChange[]): Sum;
}

export interface Sum {
  readonly done: readonly Done[];
  readonly failures: readonly Failure[];
  readonly notAttempted: readonly Change[];
  readonly stop: Stop | undefined;
  readonly keyRefused: boolean;
  /** Things worth knowing, in words. */
  readonly notes: readonly string[];
}

export function createRunRecorder({ clock, journal, breaker, emit }: RunRecorderOptions): RunRecorder {
  const halt = new AbortController();
  const ended = new Map<number, ChangeOutcome>();
  let stopped: Stop | undefined;
  let keyRefused = false;
  let hasFailedCreate = false;
  let www: WwwRule | undefined;

  function stop(why: Stop): void {
    if (stopped !== undefined) return;
    stopped = why;
    emit({ type: 'stopping', reason: why.reason });
    halt.abort();
  }

  function done({ change, index }: IndexedChange, verdict: ChangeOutcome & { fate: 'done' }): void {
    const { id, note, wrote } = verdict;
    journal.end(index, change, 'done', { id, ...(verdict.isPasswordWithheld ? { withheld: true } : {}) });
    const event = { type: 'change_done', ...subjectOf(change), id } as const;
    emit(note === undefined ? event : { ...event, note });
    count('done');
    if (change.action === 'create' && change.domain.startsWith('www.') && www !== 'same') {
      www = wrote === wwwVariant(change.domain) ? 'same' : 'distinct';
    }
  }

  function failed({ change, index }: IndexedChange, fate: Failure['fate'], error: ServiceError): void {
    const failure = failureOf(change, fate, error);
    journal.end(index, change, fate, { message: failure.message });
    emit({ type: 'change_failed', ...failure });
    const why = stopOf(error);
    if (why?.cause === 'key-refused') keyRefused = true;
    if (why !== undefined) stop(why);
    count(error.blame);
  }

  function count(outcome: 'done' | Blame): void {
    const reason = breaker.count(outcome);
    if (reason !== undefined) stop({ cause: 'failures', reason });
  }

  function end(item: IndexedChange, verdict: ChangeOutcome): void {
    ended.set(item.index, verdict);
    if (item.change.action === 'create' && verdict.fate !== 'done') hasFailedCreate = true;
    if (verdict.fate === 'done') done(item, verdict);
    else if (verdict.fate !== 'withdrawn') failed(item, verdict.fate, verdict.error);
    else {
      journal.end(item.index, item.change, 'not_attempted');
      const why = verdict.error && stopOf(verdict.error);
      if (why !== undefined) stop(why);
    }
  }

  return {
    halt: halt.signal,
    stop,
    async begin(items) {
      try {
        await journal.begin(items, formatInstant(clock.now()));
      } catch (error) {
        if (!(error instanceof WebsitesError)) throw error;
        stop({ cause: 'journal', reason: error.message });
        return false;
      }
      return true;
    },
    start: ({ change }) => emit({ type: 'change_started', ...subjectOf(change) }),
    end,
    get hasFailedCreate() {
      return hasFailedCreate;
    },
    get www() {
      return www;
    },
    sum: (items) => ({ ...sumUp(items, ended), stop: stopped, keyRefused }),
  };
}

function sumUp(items: readonly IndexedChange[], ended: ReadonlyMap<number, ChangeOutcome>) {
  const done: Done[] = [];
  const failures: Failure[] = [];
  const notAttempted: Change[] = [];
  const noted = new Map<string, string[]>();
  for (const { change, index } of items) {
    const verdict = ended.get(index);
    if (verdict?.fate === 'done') {
      const { note } = verdict;
      done.push(doneOf(change, verdict));
      if (note === undefined) continue;
      const domains = noted.get(note) ?? [];
      noted.set(note, domains);
      domains.push(change.domain);
    } else if (verdict?.fate === 'failed' || verdict?.fate === 'unknown') {
      failures.push(failureOf(change, verdict.fate, verdict.error));
    } else notAttempted.push(change);
  }
  const notes = [...noted].map(([note, domains]) => `${some(domains)}: ${note}.`);
  return { done, failures, notAttempted, notes };
}

/** The change as it was sent. */
function doneOf(change: Change, { id, seen, isPasswordWithheld }: ChangeOutcome & { fate: 'done' }): Done {
  const sent = isPasswordWithheld ? withoutPassword(change) : change;
  return { change: sent, id, ...(seen === undefined ? {} : { seen }) };
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
