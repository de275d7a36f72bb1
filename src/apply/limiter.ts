/**
 * The one limiter of a run: it bounds how many requests, reads and writes alike, are under way, in the
 * order in which they came, and takes the pace from the service. Three things narrow it: its width, full at
 * first, halved once for each burst of throttled answers and grown back by one request a round, as TCP does
 * (RFC 5681); what is left of the service's present window (window.ts); and a hold, when nothing starts
 * before the time that the service named. Where it names none, or next to now, one request at a time asks whether
 * it is over.
 */
import type { Clock } from '../core/clock.ts';
import type { Limiter, LimiterState, Pace, Ticket } from '../core/limiter.ts';
import { createWindow } from './window.ts';

/**
 * The wait after a throttled answer that names none, or a shorter one, in milliseconds; doubles while they go
 * on, up to the longest.
 */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/** A request that waits for its turn. */
interface Waiter {
  readonly start: (ticket: Ticket) => void;
  readonly giveUp: () => void;
  readonly signal: AbortSignal | undefined;
}

/**
 * `enter` lets requests through in the order in which they came. Once the signal of one is aborted it waits no
 * longer: where it waits, or comes later and would have to wait out a hold, it is rejected with the signal's
 * reason and was not sent. One that is under way is left to its end.
 */
export function createLimiter(parallelism: number, clock: Clock): Limiter & { state(): LimiterState } {
  const waiting = new Set<Waiter>();
  const window = createWindow();
  let width = parallelism;
  let active = 0;
  let requests = 0;
  let heldUntil = 0;
  /** What is left of the present hold included. */
  let heldMs = 0;
  let wait = FIRST_WAIT;
  /** Since when the service is shut and does not say until when, and how long it was so the last time. */
  let shutAt: number | undefined;
  let shutMs: number | undefined;
  /** Requests up to this number had been sent at the last halving: they halve no more. */
  let halvedAt = 0;
  let alarm: AbortController | undefined;
  const watched = new WeakSet<AbortSignal>();

  const widthNow = (): number => Math.floor(width);

  /** Whether nothing may start yet; notices the end of a hold. */
  function isHeld(): boolean {
    if (heldUntil === 0) return false;
    if (clock.monotonic() < heldUntil) return true;
    heldUntil = 0;
    window.renew(requests);
    return false;
  }

  function admit(): void {
    if (isHeld()) {
      waitOut();
      return;
    }
    for (const waiter of waiting) {
      const ticket = letThrough();
      if (ticket === undefined) return;
      waiting.delete(waiter);
      waiter.start(ticket);
    }
  }

  /** Lets one request through where there is room for it, unless it is held. */
  function letThrough(): Ticket | undefined {
    const isShut = shutAt !== undefined;
    if (active >= (isShut ? 1 : Math.min(widthNow(), window.width(requests)))) return undefined;
    const isProbe = isShut || window.isProbing(requests);
    const answeredBefore = requests - active;
    active += 1;
    requests += 1;
    return { number: requests, answeredBefore, isProbe };
  }

  /** Sets the alarm for the end of the hold, for those that still may wait. */
  function waitOut(): void {
    for (const waiter of waiting) if (waiter.signal?.aborted) waiter.giveUp();
    if (alarm !== undefined || waiting.size === 0) return;
    alarm = new AbortController();
    void clock.sleep(heldUntil - clock.monotonic(), alarm.signal).then(() => {
      alarm = undefined;
      admit();
    });
  }

  /** One listener for all that wait with a signal. */
  function watch(signal: AbortSignal): void {
    if (watched.has(signal)) return;
    watched.add(signal);
    const giveUp = (): void => {
      for (const waiter of waiting) if (waiter.signal === signal) waiter.giveUp();
    };
    signal.addEventListener('abort', giveUp, { once: true });
  }

  function queue(signal: AbortSignal | undefined): Promise<Ticket> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        start: resolve,
        giveUp() {
          waiting.delete(waiter);
          // Nobody is kept waiting by an alarm that nobody waits for.
          if (waiting.size === 0) alarm?.abort();
          reject(signal?.reason);
        },
        signal,
      };
      if (signal !== undefined) watch(signal);
      waiting.add(waiter);
      admit();
    });
  }

  function hold(milliseconds: number | undefined): void {
    if (milliseconds === undefined) return;
    const until = clock.monotonic() + milliseconds;
    heldMs += Math.max(0, until - Math.max(heldUntil, clock.monotonic()));
    heldUntil = Math.max(heldUntil, until);
  }

  function slowDown({ waitMs }: Pace, { number, isProbe }: Ticket): void {
    hold(waitMs);
    if (number <= halvedAt) return;
    halvedAt = requests;
    // What a probe meets is the end of a window, and no sign that requests come too thick.
    if (!isProbe) width = Math.max(1, width / 2);
    window.close();
    if (waitMs === undefined || waitMs < FIRST_WAIT) hold(nextWait(isProbe));
  }

  /**
   * How long to wait where the service does not say, or says too little: at the end of a window, at first nearly
   * as long as last time.
   */
  function nextWait(isProbe: boolean): number {
    if (shutAt === undefined) {
      shutAt = clock.monotonic();
      wait = FIRST_WAIT;
      if (isProbe && shutMs !== undefined) {
        wait = shutMs / 8;
        return shutMs - wait;
      }
    }
    const next = wait;
    wait = Math.min(LONGEST_WAIT, wait * 2);
    return next;
  }

  function learn(pace: Pace, ticket: Ticket): void {
    hold(window.learn(pace, ticket));
    if (pace.throttled) {
      slowDown(pace, ticket);
      return;
    }
    width = Math.min(parallelism, width + 1 / width);
    if (shutAt === undefined || ticket.number <= halvedAt) return;
    shutMs = clock.monotonic() - shutAt;
    shutAt = undefined;
  }

  return {
    enter(signal) {
      const ticket = waiting.size > 0 || isHeld() ? undefined : letThrough();
      return ticket ?? queue(signal);
    },
    leave(ticket, pace) {
      if (pace !== undefined) learn(pace, ticket);
      active -= 1;
      admit();
    },
    state() {
      const heldForMs = Math.max(0, heldUntil - clock.monotonic());
      return {
        width: widthNow(),
        active,
        heldForMs,
        heldMs: heldMs - heldForMs,
        requests,
        requestsPerSecond: window.rate(),
      };
    },
  };
}
