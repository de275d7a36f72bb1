/** How fast a service may be asked: what its answers teach, and what keeps to it. */

/** What one answer taught about how fast the service may be asked. */
export interface Pace {
  /** The service asked to slow down (429, 503). */
  readonly throttled: boolean;
  /** Wait this long before the next request, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Requests left in the window, the window's size, and when it ends, in milliseconds from now. */
  readonly remaining?: number | undefined;
  readonly limit?: number | undefined;
  readonly resetMs?: number | undefined;
}

/** One request that was let through. */
export interface Ticket {
  /** Counted from 1. */
  readonly number: number;
  /** How many had been answered, and so been counted by the service, before it was sent. */
  readonly answeredBefore: number;
  /** It was sent to see whether anything is left of a window that seems to be spent. */
  readonly isProbe: boolean;
}

/** Bounds how many requests, reads and writes alike, are under way at once. */
export interface Limiter {
  /** Lets a request through: at once where there is room, else when its turn comes. Rejects with the signal's reason. */
  enter(signal?: AbortSignal): Ticket | Promise<Ticket>;
  /** It has ended, with what its answer taught, if there was one. */
  leave(ticket: Ticket, pace?: Pace): void;
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
  /** Requests let through so far. */
  readonly requests: number;
  /** What the service's window comes to; undefined where it names no limit. */
  readonly requestsPerSecond: number | undefined;
}

/** So many requests may be under way at once. */
export const MOST_PARALLELISM = 256;

/** So long one request may take, in milliseconds: who comes after a run that was killed waits for as long. */
export const MOST_REQUEST_TIMEOUT_MS = 600_000;
