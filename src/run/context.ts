/** Types of a run, and helpers for its errors. A change that is not carried out throws a ServiceError. */
import type { Change, Update } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { FactText } from '../model/facts.ts';
import type { FieldName } from '../model/field-table.ts';
import type { NextFlags } from '../model/next-command.ts';
import type { MadeBy, Plan, Seals } from '../model/plan.ts';
import type { Done, Note, RunEvent, Shows, Stop, Subject } from '../model/run.ts';
import type { ResolveSecret } from '../model/secret.ts';
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
import type { Values } from './values.ts';

export interface RunContext {
  readonly plan: Plan;
  /** Indexes of changes that earlier runs of this plan may have sent. Set only for a saved plan. */
  readonly sentBefore?: ReadonlySet<number>;
  /** Skips changes whose records have changed since the plan, instead of stopping before anything is sent. */
  readonly skipStale?: boolean | undefined;
  /** Applies and verifies this number of changes first, and the rest only if these verify. At least 1. */
  readonly canary?: number | undefined;
  /** Stops the run after this number of failures of any kind, instead of by the rules of `createBreaker`. */
  readonly maxFailures?: number | undefined;
  readonly service: WebsiteService;
  readonly lock: Lock;
  readonly parallelism: number;
  /** Milliseconds after which a request is no longer in flight. */
  readonly requestTimeoutMs: number;
  /** Limit in milliseconds for one change with its retries. Waits that the service asks for do not count. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** Aborted when the run is interrupted. Waits then end at once; requests in flight finish. */
  readonly signal: AbortSignal;
  readonly runsFolder: string;
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  readonly resolveSecret: ResolveSecret;
  readonly emit: (event: RunEvent) => void;
  readonly limiter: () => Pick<LimiterState, 'requests'>;
  readonly factText: FactText;
  readonly nextFlags: NextFlags;
  readonly notes?: readonly string[];
}

export interface ChangeContext
  extends Pick<RunContext, 'clock' | 'random' | 'requestTimeoutMs' | 'timeoutMs' | 'factText'> {
  readonly service: WebsiteService;
  readonly values: Values;
  readonly updates: Updates;
  readonly names: () => Names;
  readonly halt: AbortSignal;
  /** Called before each write. Rejects with `interrupted` once the run has stopped, so that nothing more is sent. */
  readonly permit: Permit;
  /** Stops the run: no further change begins. Only the first call counts. */
  stop(reason: Stop | string): void;
  /** Writes to the run file that a change begins, with the previous values of its record. Rejects like `permit`. */
  begin(item: IndexedChange, shown?: Shows): Promise<void>;
}

/** Last reading of an updated record before the run is verified. */
interface LastShown extends Shows {
  /** True if the reading shows the update. Otherwise it is from right before the request. */
  readonly isAfter: boolean;
  readonly declared: readonly FieldName[];
}

export interface Ended extends Pick<Done, 'id' | 'left'> {
  readonly last?: LastShown;
  readonly note?: Note;
}

/** A change that was sent and applied. */
export type Sent = IndexedChange & Ended;

/** Error codes of requests that were never sent. */
const STOPS: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

export function outcomeOf({ outcome, code }: ServiceError): 'failed' | 'unknown' | 'not_attempted' {
  if (outcome !== 'refused') return 'unknown';
  return STOPS.has(code) ? 'not_attempted' : 'failed';
}

/** True if the write may have been applied, so that only a reading of the record can decide. */
export function isUnclear(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.outcome !== 'refused' && error.code !== 'id-mismatch';
}

export function withOutcome(error: unknown, outcome: RequestOutcome): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message, cause } = error;
  return new ServiceError(code, message, { ...error, cause, outcome });
}

/** Reads the record after an unknown outcome. If that fails, throws the more serious of the two errors. */
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
  return recordFailure(message, 'Plan again to create it.', 404);
}

export function subjectOf(change: Change): Subject {
  const { action, domain, source } = change;
  return { action, domain, id: change.action === 'create' ? undefined : change.id, source };
}
