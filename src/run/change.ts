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
  /** How a domain and its other name relate, as far as that is settled by now. */
  readonly names: () => Names;
  /** How long one request may take, in milliseconds: after that it can no longer be at work. */
  readonly requestTimeoutMs: number;
  /** How long one change may take with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  readonly halt: AbortSignal;
  /** Waits, and lets others have the turn; for as long as the run is not stopped. */
  pause(milliseconds: number): Promise<void>;
  /**
   * Writes a change down, before anything of it is sent; false if it is not to be sent, as the run stops. Others have the
   * turn meanwhile, unless what the record shows was read right before.
   */
  begin(item: IndexedChange, shown?: Shows & { readonly at?: number }): Promise<boolean>;
}

export type ChangeOutcome =
  | {
      readonly fate: 'done';
      readonly id: string;
      /** What the service calls it, where that is not the domain that was sent. */
      readonly wrote?: string;
      readonly note?: string;
      readonly last?: LastShown;
      /** Of a create: what its answer showed beyond what was sent. */
      readonly left?: Shows;
    }
  /** Its record was as planned already: nothing was sent. */
  | { readonly fate: 'found' }
  | { readonly fate: 'failed'; readonly error: ServiceError }
  | { readonly fate: 'unknown'; readonly error: ServiceError }
  /** The run was stopped, as `error` tells if it is the first to know, before anything of it was sent. */
  | { readonly fate: 'withdrawn'; readonly error?: ServiceError };

export type NotDone = Exclude<ChangeOutcome, { fate: 'done' | 'found' }>;

/**
 * The verdict on a write that was not carried out for all that is known: it was given up before anything was sent, or
 * refused; and on one that was answered for another record. `undefined` where a reading may tell.
 */
export function outcomeOfError(error: ServiceError): NotDone | undefined {
  if (error.outcome === 'refused') return notCarriedOut(error);
  return error.code === 'id-mismatch' ? { fate: 'unknown', error } : undefined;
}

/** The verdict on a write that was refused, or was not sent because what it goes by could not be read. */
export function notCarriedOut(error: ServiceError): NotDone {
  return STOPS.has(error.code) ? { fate: 'withdrawn', error } : { fate: 'failed', error };
}

/** Codes of a request that this side did not send. */
const STOPS: ReadonlySet<string> = new Set(['interrupted', 'lock-lost']);

export function strangerFound(change: Exclude<Change, { action: 'create' }>, { domain }: Website): NotDone {
  return notCarriedOut(strangerRefused(change, domain));
}

/** The verdict on an error of the service, or on what it was thrown for; other errors are thrown. */
export function orThrow<T>(error: unknown, verdict: (error: ServiceError) => T): T {
  if (error instanceof ServiceError) return verdict(error);
  throw error;
}

export function recordFailure(
  message: string,
  remedy: string,
  status?: number,
): Extract<ChangeOutcome, { fate: 'failed' }> {
  const details = { outcome: 'refused', blame: 'record', attempts: status ? 1 : 0, status, remedy } as const;
  return { fate: 'failed', error: new ServiceError('service-failed', message, details) };
}

export function vanished({ domain, id }: Pick<Update, 'domain' | 'id'>): NotDone {
  const message = `${domain} no longer exists: the service has no record #${id}.`;
  return recordFailure(message, 'Plan again: it would be created.', 404);
}
