/**
 * The one limiter of a run: it bounds how many requests, reads and writes alike, are under way, in the
 * order in which they came, and takes the pace from the service. Three things narrow it: its width, full at
 * first, halved once for each burst of throttled answers and grown back by one request a round, as TCP does
 * (RFC 5681); what is left of the service's present window (quota-window.ts); and a hold, when nothing starts
 * before the time that the service named. Where it names none, or next to now, one request at a time asks whether
 * it is over.
 */
import type { Limiter, LimiterState, Pace, Ticket } from '../../model/service.ts';
import type { Clock } from '../../util/clock.ts';
import { createHold, createShutter, FIRST_WAIT } from './hold.ts';
import { createWindow } from './quota-window.ts';
import { createWaiters } from './waiters.ts';

/**
 * `enter` lets requests through in the order in which they came. Once the signal of one is aborted it waits no
 * longer: where it waits, or comes later and would have to wait out a hold, it is rejected with the signal's
 * reason and was not sent. One that is under way is left to its end.
 */
export function createLimiter(parallelism: number, clock: Clock): Limiter & { state(): LimiterState } {
  const gate = createGate(parallelism, clock);
  let alarm: AbortController | undefined;
  // Nobody is kept waiting by an alarm that nobody waits for.
  const waiters = createWaiters(() => alarm?.abort());

  function admit(): void {
    if (gate.isHeld()) waitOut();
    else waiters.start(gate.letThrough);
  }

  /** Sets the alarm for the end of the hold, for those that still may wait. */
  function waitOut(): void {
    waiters.dismiss();
    if (alarm !== undefined || waiters.size() === 0) return;
    alarm = new AbortController();
    void clock.sleep(gate.heldForMs(), alarm.signal).then(() => {
      alarm = undefined;
      admit();
    });
  }

  return {
    enter(signal) {
      const ticket = waiters.size() > 0 || gate.isHeld() ? undefined : gate.letThrough();
      if (ticket !== undefined) return ticket;
      const turn = waiters.add(signal);
      admit();
      return turn;
    },
    leave(ticket, pace) {
      gate.leave(ticket, pace);
      admit();
    },
    state: gate.state,
  };
}

/** How many requests may be under way, and from when on. */
function createGate(parallelism: number, clock: Clock) {
  const window = createWindow();
  const hold = createHold(clock);
  const shutter = createShutter(clock);
  let width = parallelism;
  let active = 0;
  let requests = 0;
  /** Requests up to this number had been sent at the last halving: they halve no more. */
  let halvedAt = 0;

  function slowDown({ waitMs }: Pace, { number, isProbe }: Ticket): void {
    hold.extend(waitMs);
    if (number <= halvedAt) return;
    halvedAt = requests;
    // What a probe meets is the end of a window, and no sign that requests come too thick.
    if (!isProbe) width = Math.max(1, width / 2);
    window.close();
    if (waitMs === undefined || waitMs < FIRST_WAIT) hold.extend(shutter.nextWait(isProbe));
  }

  function learn(pace: Pace, ticket: Ticket): void {
    hold.extend(window.learn(pace, ticket));
    if (pace.throttled) {
      slowDown(pace, ticket);
      return;
    }
    width = Math.min(parallelism, width + 1 / width);
    if (ticket.number > halvedAt) shutter.open();
  }

  return {
    /** Whether nothing may start yet; notices the end of a hold. */
    isHeld(): boolean {
      if (hold.endedNow()) window.renew(requests);
      return hold.isHeld();
    },
    heldForMs: hold.leftMs,
    /** Lets one request through where there is room for it, unless it is held. */
    letThrough(): Ticket | undefined {
      const isShut = shutter.isShut();
      if (active >= (isShut ? 1 : Math.min(Math.floor(width), window.width(requests)))) return undefined;
      const isProbe = isShut || window.isProbing(requests);
      const answeredBefore = requests - active;
      active += 1;
      requests += 1;
      return { number: requests, answeredBefore, isProbe };
    },
    leave(ticket: Ticket, pace: Pace | undefined): void {
      if (pace !== undefined) learn(pace, ticket);
      active -= 1;
    },
    state: (): LimiterState => ({
      width: Math.floor(width),
      active,
      heldForMs: hold.leftMs(),
      heldMs: hold.pastMs(),
      requests,
      requestsPerSecond: window.rate(),
    }),
  };
}
