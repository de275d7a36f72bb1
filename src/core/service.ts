/**
 * The service as the rest of the program sees it: five operations and a look-up. `api/` implements
 * it over HTTP; whoever plans or applies knows no more of the wire than this.
 */
import { type ErrorCode, type ErrorDetails, WebsitesError } from './errors.ts';
import type { FieldName } from './fields.ts';
import type { Value } from './kinds.ts';
import type { Secret } from './secret.ts';
import type { Website } from './website.ts';

/** The values of a write, secrets resolved. A missing field is not sent; `null` clears. */
export type WriteValues = { readonly [Name in FieldName]?: Value | Secret };

/** All records that could be listed. */
export interface Listing {
  readonly websites: readonly Website[];
  /** Why it is known, or not known, to be complete; in words for the reader. */
  readonly complete: boolean;
  readonly reason: string;
  /** When the reading began, in milliseconds since 1970. */
  readonly readAt: number;
}

/** What a look-up of one domain found. */
export interface Found {
  /** The records whose domain is the one asked for, or its www twin. */
  readonly websites: readonly Website[];
  /** True when a domain that is not among `websites` is proven to have no record (design, Settled A). */
  readonly proven: boolean;
}

/** How far the reading of many records has come. */
export interface ReadProgress {
  /** `list`: page by page. `find`: domain by domain, for want of a whole list. `read`: record by record. */
  readonly what: 'list' | 'find' | 'read';
  readonly done: number;
  /** How many there are to read, where that is known. */
  readonly total?: number;
  /** Nothing more follows, whether it came to its end or failed. */
  readonly ended: boolean;
}

export type OnRead = (progress: ReadProgress) => void;

/**
 * Whether a write may be sent: asked right before each of its requests, which may have waited long for their turn.
 * Rejects with a ServiceError where it may not; nothing where that needs no look.
 */
export type Permit = () => Promise<void> | undefined;

export interface WebsiteService {
  list(): Promise<Listing>;
  find(domain: string): Promise<Found>;
  /** The record, or `undefined` where there is none (404). */
  read(id: string): Promise<Website | undefined>;
  /**
   * Sends one create and never repeats it where it may have been carried out: then the error's
   * `outcome` is 'unknown' or 'ended' and the caller looks the domain up (design, decision 9).
   * Returns the record as the answer shows it.
   */
  create(domain: string, values: WriteValues, permit?: Permit): Promise<Website>;
  /** Returns the record as the answer shows it, or 'vanished' where there is none (404). */
  update(id: string, domain: string, values: WriteValues, permit?: Permit): Promise<Website | 'vanished'>;
  /** A record that is not there any more counts as deleted. */
  remove(id: string, domain: string, permit?: Permit): Promise<void>;
  /** What the answers so far have shown of this service's ways. */
  readonly traits: Traits;
}

/** What a service was seen to do. */
export interface Traits {
  /** The name that each field with several wire names goes by here, once an answer showed it. */
  readonly wireNames: { readonly [Name in FieldName]?: string };
  /** Fields seen in a list, and in an answer for one record. */
  readonly listed: ReadonlySet<FieldName>;
  readonly read: ReadonlySet<FieldName>;
  /** Fields that an answer for one record has shown to hold nothing: such answers leave none out for that. */
  readonly readEmpty: ReadonlySet<FieldName>;
}

/**
 * Whether a failed request was carried out. `refused`: it was not. `ended`: the service failed and
 * is no longer at work on it, it may have been carried out. `unknown`: it may still be at work.
 */
export type Outcome = 'refused' | 'ended' | 'unknown';

/** Whose failure it was: of this one record (a 422, a 404), or of the service as a whole. */
export type Blame = 'record' | 'service';

export interface ServiceErrorDetails extends ErrorDetails {
  readonly outcome: Outcome;
  readonly blame: Blame;
  readonly status?: number | undefined;
  readonly attempts: number;
  /** When the last request was sent, by the monotonic clock. */
  readonly sentAt?: number;
  /** The service's words by wire field, from a 422. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
}

/** An operation that the service refused or failed, told in the service's own words. */
export class ServiceError extends WebsitesError {
  readonly outcome: Outcome;
  readonly blame: Blame;
  readonly status: number | undefined;
  readonly attempts: number;
  readonly sentAt: number | undefined;
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(code: ErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, details);
    this.outcome = details.outcome;
    this.blame = details.blame;
    this.status = details.status;
    this.attempts = details.attempts;
    this.sentAt = details.sentAt;
    this.fields = details.fields ?? {};
  }
}

/** So many requests may be under way at once. */
export const MOST_PARALLELISM = 256;

/** The largest delay of a timer, in milliseconds; Node takes a larger one for 1. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Time as a value that is handed in, so that tests own it. */
export interface Clock {
  /** The time of day, in milliseconds since 1970. It may be set, forward and back. */
  now(): number;
  /** Milliseconds since some moment, by which waits are measured: nobody sets it. */
  monotonic(): number;
  /** Resolves after `milliseconds`, at once when `signal` is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** What one answer taught about how fast the service may be asked. */
export interface Pace {
  /** The service asked to slow down (429, 503). */
  readonly throttled: boolean;
  /** Wait this long before the next request, in milliseconds. */
  readonly waitMs?: number;
  /** Requests left in the window, the window's size, and when it ends, in milliseconds from now. */
  readonly remaining?: number;
  readonly limit?: number;
  readonly resetMs?: number;
}

/** Bounds how many requests, reads and writes alike, are under way at once. */
export interface Limiter {
  /** Runs `send` when there is room; `pace` reads from its result how fast to go on. */
  run<T>(send: () => Promise<T>, pace: (result: T) => Pace, signal?: AbortSignal): Promise<T>;
}

/** How a limiter is doing. */
export interface LimiterState {
  /** Requests that may be under way at once now, and that are. */
  readonly width: number;
  readonly active: number;
  /** For how long yet no request starts, in milliseconds; 0 when nothing holds it. */
  readonly heldForMs: number;
  /** How long it has been held so far, in milliseconds. */
  readonly heldMs: number;
  /** Answers that asked to slow down. */
  readonly throttled: number;
  /** Requests let through so far. */
  readonly requests: number;
  /** The size of the service's window, and what it comes to; undefined where it names no limit. */
  readonly limit: number | undefined;
  readonly requestsPerSecond: number | undefined;
}

/** One request that has ended. Holds nothing of the headers and the body that were sent. */
export interface RequestFacts {
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  /** Which try of its operation it was, from 1. */
  readonly attempt: number;
  /** How long it had waited for its turn, in milliseconds. */
  readonly waitedMs: number;
  readonly method: string;
  readonly url: string;
  readonly ms: number;
  readonly status?: number;
  /** Why there is no answer. */
  readonly reason?: string;
  readonly pace: Pace;
}
