/** A run, and the context of its changes. A change that is not carried out throws a ServiceError. */
import type { Change, Update } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Where } from '../model/next-command.ts';
import type { MadeBy, Plan, Seals } from '../model/plan.ts';
import type { Done, RunEvent, Shows, Stop, Subject } from '../model/run.ts';
import {
  type LimiterState,
  type Permit,
  type RequestOutcome,
  ServiceError,
  type WebsiteService,
} from '../model/service.ts';
import type { Names } from '../planner/match.ts';
import type { Clock } from '../util/clock.ts';
import type { IndexedChange } from './file/write.ts';
import type { Lock } from './lock.ts';
import type { Updates } from './updates.ts';
import type { ResolveSecret, Values } from './values.ts';

export interface Run {
  readonly plan: Plan;
  /** For a saved plan, whose records may have changed since: changes that its earlier runs may have sent, by index. */
  readonly begun?: ReadonlySet<number>;
  /** Skip changes whose records others changed, instead of stopping before anything is sent. */
  readonly skipStale?: boolean | undefined;
  /** Applies and verifies this number of changes first, and the rest only if these verify. At least 1. */
  readonly canary?: number | undefined;
  /** Stop at this number of failures of any kind, instead of the usual rules. */
  readonly maxFailures?: number | undefined;
  readonly service: WebsiteService;
  readonly lock: Lock;
  readonly parallelism: number;
  /** Milliseconds after which a request can no longer be in flight. */
  readonly requestTimeoutMs: number;
  /** Limit for one change with its retries, without waits that the service asked for. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted when the run is interrupted: nothing waits after that. */
  readonly signal: AbortSignal;
  readonly runsFolder: string;
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  readonly resolveSecret: ResolveSecret;
  readonly emit: (event: RunEvent) => void;
  readonly limiter: () => Pick<LimiterState, 'requests'>;
  /** The words of a report. */
  readonly stopText: (stop: Stop) => string;
  readonly where: Where;
  readonly notes?: readonly string[];
}

export interface ChangeContext extends Pick<Run, 'clock' | 'random' | 'requestTimeoutMs' | 'timeoutMs'> {
  readonly service: WebsiteService;
  readonly values: Values;
  readonly updates: Updates;
  /** The known relation of a domain and its www variant. */
  readonly names: () => Names;
  readonly halt: AbortSignal;
  /** Rejects with `interrupted` once the run has stopped: nothing new is sent. */
  readonly permit: Permit;
  /** Ends the run: nothing new begins. Only the first call counts. */
  stop(reason: Stop | string): void;
  /** Journals a change, with what its record showed right before. Rejects like `permit`. */
  begin(item: IndexedChange, shown?: Shows): Promise<void>;
}

export interface Ended extends Omit<Done, 'change'> {
  /** The domain in the response, if the service changed it. */
  readonly wrote?: string;
  readonly note?: string;
  /** The record was as declared: nothing was sent. */
  readonly isFound?: true;
}

/** Codes of requests that were never sent. */
const STOPS: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

export function outcomeOf({ outcome, code }: ServiceError): 'failed' | 'unknown' | 'not_attempted' {
  if (outcome !== 'refused') return 'unknown';
  return STOPS.has(code) ? 'not_attempted' : 'failed';
}

/** True if the write may have been applied, and reading the record may show it. */
export function isUnclear(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.outcome !== 'refused' && error.code !== 'id-mismatch';
}

export function withOutcome(error: unknown, outcome: RequestOutcome): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, cause } = error;
  return new ServiceError(code, message, { ...error, cause, outcome });
}

/** Reads the record after a write with an unknown outcome; throws `error` if that shows nothing. */
export async function readUnclear<T>(error: unknown, read: () => Promise<T>): Promise<T> {
  if (!isUnclear(error)) throw error;
  return read().catch((failure: unknown) => {
    const isGraver =
      failure instanceof WebsitesError && ['key-refused', 'id-mismatch'].includes(failure.code);
    throw isGraver ? withOutcome(failure, 'ended') : error;
  });
}

export function recordFailure(message: string, remedy: string, status?: number): ServiceError {
  const details = { outcome: 'refused', blame: 'record', attempts: status ? 1 : 0, status, remedy } as const;
  return new ServiceError('service-failed', message, details);
}

export function vanished({ domain, id }: Pick<Update, 'domain' | 'id'>): ServiceError {
  const message = `${domain} no longer exists: the service has no record #${id}.`;
  return recordFailure(message, 'Plan again: it would be created.', 404);
}

export function subjectOf(change: Change): Subject {
  const { action, domain, source } = change;
  return { action, domain, id: change.action === 'create' ? undefined : change.id, source };
}
