import type { Delete, Update } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import { strangerWritten } from '../../model/identity.ts';
import type { Seen } from '../../model/run.ts';
import { ServiceError, type WebsiteService } from '../../model/service.ts';
import type { Website, WwwRule } from '../../model/website.ts';
import type { Clock } from '../../util/clock.ts';
import type { Values } from './payload.ts';
import type { Updates } from './updates.ts';

/** How one change ended, and what everything that carries out a change needs. */

export type ChangeOutcome =
  | {
      readonly fate: 'done';
      readonly id: string;
      /** What the service calls it, where that is not the domain that was sent. */
      readonly wrote?: string;
      /** What is worth knowing about it, as a clause. */
      readonly note?: string;
      /** Of an update: what its record showed. */
      readonly seen?: Seen;
      /** A password that is declared, and set already, was not sent. */
      readonly isPasswordWithheld?: true;
    }
  /** It is known not to have been carried out. */
  | { readonly fate: 'failed'; readonly error: ServiceError }
  /** It cannot be told, and it is not sent again. */
  | { readonly fate: 'unknown'; readonly error: ServiceError }
  /** The run was stopped, as `error` tells if it is the first to know, before anything of it was sent. */
  | { readonly fate: 'withdrawn'; readonly error?: ServiceError };

/** A change that was not carried out, as far as that is known. */
export type NotDone = Exclude<ChangeOutcome, { fate: 'done' }>;

/** What a change is carried out with. */
export interface ExecutionContext {
  readonly service: WebsiteService;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly values: Values;
  readonly updates: Updates;
  /** How `www.x` and `x` relate, where that is settled by now. */
  readonly www: () => WwwRule | undefined;
  /** How long one request may take, in milliseconds: after that it can no longer be at work. */
  readonly requestTimeoutMs: number;
  /** How long one change may take with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted: the run was interrupted, and nothing is waited for any more. */
  readonly signal: AbortSignal;
}

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

/**
 * Reads the record that the write was for; `tell` says what that shows, `undefined` where it shows nothing. Where the id
 * is another website's, a record that was to be deleted is gone, and an update may have changed that other one.
 * Then, and when the reading fails too, `error`, the first failure, is what there is to report.
 */
export async function confirmByReading<Told>(
  change: Update | Delete,
  error: ServiceError,
  { service, www }: Pick<ExecutionContext, 'service' | 'www'>,
  tell: (website: Website | undefined) => Told | undefined,
): Promise<Told | NotDone> {
  try {
    const website = await service.read(change.id);
    const isStranger = website !== undefined && !isNamed(website, change.domain, www());
    if (isStranger && change.action === 'update') {
      return { fate: 'unknown', error: strangerWritten(change, website.domain) };
    }
    return tell(isStranger ? undefined : website) ?? { fate: 'unknown', error };
  } catch (second) {
    if (!(second instanceof ServiceError)) throw second;
    return { fate: 'unknown', error: second.code === 'key-refused' ? second : error };
  }
}
