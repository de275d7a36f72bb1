/** How one change ended. */
import type { Seen } from '../../model/run.ts';
import type { ServiceError } from '../../model/service.ts';

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
