/** Journals, emits and counts outcomes, and stops the run (decision: "A failed record does not stop the others"). */
import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Done, Failure, RunEvent, Subject } from '../model/run.ts';
import type { Blame, ServiceError } from '../model/service.ts';
import { namesLearnedFrom, type Settled } from '../planner/match.ts';
import { joinShortened } from '../util/text.ts';
import type { Verdict } from './change.ts';
import type { IndexedChange, RunFile } from './file/write.ts';

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

export interface BreakerRule {
  /** Stop at this number of failures of any kind, instead of the usual rules. */
  readonly maxFailures?: number | undefined;
}

export interface TallyOptions extends BreakerRule {
  readonly file: RunFile;
  readonly emit: (event: RunEvent) => void;
}

export interface Sum {
  readonly done: readonly Done[];
  readonly found: number;
  readonly failures: readonly Failure[];
  readonly notAttempted: readonly Change[];
  readonly stop: Stop | undefined;
  readonly keyRefused: boolean;
  readonly notes: readonly string[];
}

const FOUND = 'it was as planned already, so nothing was sent';

export function createTally({ file, emit, ...rule }: TallyOptions) {
  const halt = new AbortController();
  const signal: AbortSignal = halt.signal;
  const breaker = createBreaker(rule);
  const started = new Set<number>();
  const ended = new Map<number, Verdict>();
  let stopped: Stop | undefined;
  let keyRefused = false;
  let hasFailedCreate = false;
  let names: Settled = {};

  function stop(why: Stop | undefined): void {
    if (why === undefined || stopped !== undefined) return;
    stopped = why;
    emit({ type: 'stopping', reason: why.reason });
    halt.abort();
  }

  function count(outcome: 'done' | Blame): void {
    const reason = breaker(outcome);
    if (reason !== undefined) stop({ cause: 'failures', reason });
  }

  function done(change: Change, note: string | undefined, id?: string): void {
    const subject = { ...subjectOf(change), ...(id === undefined ? {} : { id }) };
    emit({ type: 'change_done', ...subject, ...(note === undefined ? {} : { note }) });
    count('done');
  }

  function end(item: IndexedChange, verdict: Verdict): void {
    const { change, index } = item;
    ended.set(index, verdict);
    const isDone = verdict.outcome === 'done' || verdict.outcome === 'found';
    hasFailedCreate ||= change.action === 'create' && !isDone;
    if (verdict.outcome === 'found') done(change, FOUND);
    else if (verdict.outcome === 'done') {
      const { id, left, note, wrote } = verdict;
      file.end(item, { outcome: 'done', id, left });
      done(change, note, id);
      if (change.action === 'create') names = namesLearnedFrom(change.domain, wrote, names);
    } else if (verdict.outcome === 'withdrawn') {
      file.end(item, { outcome: 'not_attempted' });
      stop(verdict.error && stopOf(verdict.error));
    } else fail(item, verdict);
  }

  function fail(item: IndexedChange, { outcome, error }: Verdict & { outcome: Failure['outcome'] }): void {
    const failure = failureOf(item.change, outcome, error);
    const why = stopOf(error);
    file.end(item, { outcome, message: failure.message });
    emit({ type: 'change_failed', ...failure });
    keyRefused ||= why?.cause === 'key-refused';
    stop(why);
    count(error.blame);
  }

  return {
    halt: signal,
    stop,
    /** Waits for the journal; false if the run has stopped. */
    async begin({ change, index }: IndexedChange, written: Promise<void>): Promise<boolean> {
      try {
        await written;
      } catch (error) {
        if (!(error instanceof WebsitesError)) throw error;
        stop({ cause: 'run-file', reason: error.message });
      }
      if (halt.signal.aborted) return false;
      if (!started.has(index)) emit({ type: 'change_started', ...subjectOf(change) });
      started.add(index);
      return true;
    },
    end,
    get hasFailedCreate() {
      return hasFailedCreate;
    },
    get names() {
      return names;
    },
    sum: (items: readonly IndexedChange[]): Sum => ({ ...sumUp(items, ended), stop: stopped, keyRefused }),
  };
}

function sumUp(items: readonly IndexedChange[], ended: ReadonlyMap<number, Verdict>) {
  const done: Done[] = [];
  const failures: Failure[] = [];
  const notAttempted: Change[] = [];
  const noted = new Map<string, string[]>();
  let found = 0;
  for (const { change, index } of items) {
    const verdict = ended.get(index) ?? { outcome: 'withdrawn' };
    if (verdict.outcome === 'found') found += 1;
    else if (verdict.outcome === 'withdrawn') notAttempted.push(change);
    else if (verdict.outcome !== 'done') failures.push(failureOf(change, verdict.outcome, verdict.error));
    else {
      const { id, last, left, note } = verdict;
      done.push({ change, id, ...(last && { last }), ...(left && { left }) });
      if (note !== undefined) noted.set(note, [...(noted.get(note) ?? []), change.domain]);
    }
  }
  const notes = [...noted].map(([note, domains]) => `${joinShortened(domains)}: ${note}.`);
  return { done, found, failures, notAttempted, notes };
}

function stopOf({ code, status, message, asksTooMuch }: ServiceError): Stop | undefined {
  const cause = CAUSES.find((one) => one === code);
  if (cause !== undefined) return { cause, reason: message };
  if (asksTooMuch) return { cause: 'failures', reason: message };
  // The permissions of the key or the limits of its plan will reject every other write, too.
  return status === 403 || status === 402 ? { cause: 'refused', reason: message } : undefined;
}

/** 'id-mismatch' is one: a plan of a list that mixes up IDs could change any record. */
const CAUSES = ['key-refused', 'lock-lost', 'interrupted', 'id-mismatch'] as const;

export function subjectOf(change: Change): Subject {
  const { action, domain, source } = change;
  if (action === 'create') return { action, domain, source };
  const { id } = change;
  return source === undefined ? { action, domain, id } : { action, domain, id, source };
}

function failureOf(change: Change, outcome: Failure['outcome'], error: ServiceError): Failure {
  const { code, status, message, remedy, attempts } = error;
  return {
    ...subjectOf(change),
    ...{ outcome, code, ...(status !== undefined && { status }) },
    ...{ message, ...(remedy !== undefined && { remedy }), attempts },
  };
}

/** Failures of the service in a row; the share of failures, from a minimum number of ended changes. */
const IN_A_ROW = 10;
const SHARE = 0.2;
const AT_LEAST = 50;

/** Returns why to stop. `record` is a failure of one record alone (422, 404), outside the row of service failures. */
export function createBreaker({ maxFailures }: BreakerRule) {
  let row = 0;
  let failed = 0;
  let ended = 0;
  return (outcome: 'done' | Blame): string | undefined => {
    ended += 1;
    if (outcome === 'done') row = 0;
    else failed += 1;
    if (outcome === 'service') row += 1;
    if (maxFailures !== undefined) {
      if (failed < maxFailures || failed === 0) return undefined;
      return `${failed === 1 ? 'one change' : `${failed} changes`} failed (WEBSITES_MAX_FAILURES)`;
    }
    if (row >= IN_A_ROW) return `the service failed ${row} times in a row`;
    if (ended >= AT_LEAST && failed / ended >= SHARE) return `${failed} of ${ended} changes failed`;
    return undefined;
  };
}
