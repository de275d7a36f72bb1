import type { Change, Update } from '../model/change.ts';
import { strangerRefused } from '../model/identity.ts';
import type { LastShown, Shows } from '../model/run.ts';
import { ServiceError, type WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import type { Names } from '../planner/match.ts';
import type { Clock } from '../util/clock.ts';
import type { IndexedChange } from './file/write.ts';
import type { Updates } from './updates.ts';
import type { Values } from './values.ts';

export interface ChangeContext {
  readonly service: WebsiteService;
  readonly clock: Clock;
  readonly random: () => number;
  readonly values: Values;
  readonly updates: Updates;
  /** The known relation of a domain and its www variant. */
  readonly names: () => Names;
  /** After this time a request can no longer be in flight. */
  readonly requestTimeoutMs: number;
  /** Limit for one change with its retries, without waits that the service asked for. */
  readonly timeoutMs: number;
  readonly halt: AbortSignal;
  /** Waits without a turn, until the run stops. */
  pause(milliseconds: number): Promise<void>;
  /** Journals a change; false if the run has stopped. Gives its turn away, unless `shown` was read right before. */
  begin(item: IndexedChange, shown?: Shows & { readonly at?: number }): Promise<boolean>;
}

export type Verdict =
  | {
      readonly outcome: 'done';
      readonly id: string;
      /** The domain in the response, if the service changed it. */
      readonly wrote?: string;
      readonly note?: string;
      readonly last?: LastShown;
      /** Values in the response to a create that were not sent. */
      readonly left?: Shows;
    }
  | { readonly outcome: 'found' }
  | { readonly outcome: 'failed'; readonly error: ServiceError }
  | { readonly outcome: 'unknown'; readonly error: ServiceError }
  /** The run stopped before anything was sent; `error` is set if this change was the first to notice. */
  | { readonly outcome: 'withdrawn'; readonly error?: ServiceError };

export type NotDone = Exclude<Verdict, { outcome: 'done' | 'found' }>;

/** Returns the outcome of a write that surely did nothing; `undefined` if a read may show the outcome. */
export function verdictOfError(error: ServiceError): NotDone | undefined {
  if (error.outcome === 'refused') return notCarriedOut(error);
  return error.code === 'id-mismatch' ? { outcome: 'unknown', error } : undefined;
}

/** Returns the outcome of a write that was rejected, or not sent since its record could not be read. */
export function notCarriedOut(error: ServiceError): NotDone {
  return STOPS.has(error.code) ? { outcome: 'withdrawn', error } : { outcome: 'failed', error };
}

/** Codes of requests that were never sent. */
const STOPS: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

export function strangerFound(change: Exclude<Change, { action: 'create' }>, { domain }: Website): NotDone {
  return notCarriedOut(strangerRefused(change, domain));
}

export function orThrow<T>(error: unknown, verdict: (error: ServiceError) => T): T {
  if (error instanceof ServiceError) return verdict(error);
  throw error;
}

export function recordFailure(
  message: string,
  remedy: string,
  status?: number,
): Extract<Verdict, { outcome: 'failed' }> {
  const details = { outcome: 'refused', blame: 'record', attempts: status ? 1 : 0, status, remedy } as const;
  return { outcome: 'failed', error: new ServiceError('service-failed', message, details) };
}

export function vanished({ domain, id }: Pick<Update, 'domain' | 'id'>): NotDone {
  const message = `${domain} no longer exists: the service has no record #${id}.`;
  return recordFailure(message, 'Plan again: it would be created.', 404);
}
