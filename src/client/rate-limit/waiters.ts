/** The requests that wait for their turn, in the order in which they came. */
import type { Ticket } from '../../model/service.ts';

interface Waiter {
  readonly start: (ticket: Ticket) => void;
  readonly giveUp: () => void;
  readonly signal: AbortSignal | undefined;
}

export interface Waiters {
  readonly size: () => number;
  /** Waits; rejected with the signal's reason once it gives up. */
  add(signal: AbortSignal | undefined): Promise<Ticket>;
  /** Starts them in turn, for as long as there are tickets. */
  start(nextTicket: () => Ticket | undefined): void;
  /** Sends those away whose signal is aborted: they came after that, and would have to wait. */
  dismiss(): void;
}

/** `onEmpty`: the last of them gave up. */
export function createWaiters(onEmpty: () => void): Waiters {
  const waiting = new Set<Waiter>();
  const watched = new WeakSet<AbortSignal>();

  /** One listener for all that wait with a signal. */
  function watch(signal: AbortSignal): void {
    if (watched.has(signal)) return;
    watched.add(signal);
    const giveUp = (): void => {
      for (const waiter of waiting) if (waiter.signal === signal) waiter.giveUp();
    };
    signal.addEventListener('abort', giveUp, { once: true });
  }

  return {
    size: () => waiting.size,
    add(signal) {
      if (signal !== undefined) watch(signal);
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          start: resolve,
          giveUp() {
            waiting.delete(waiter);
            if (waiting.size === 0) onEmpty();
            reject(signal?.reason);
          },
          signal,
        };
        waiting.add(waiter);
      });
    },
    start(nextTicket) {
      for (const waiter of waiting) {
        const ticket = nextTicket();
        if (ticket === undefined) return;
        waiting.delete(waiter);
        waiter.start(ticket);
      }
    },
    dismiss() {
      for (const waiter of waiting) if (waiter.signal?.aborted) waiter.giveUp();
    },
  };
}
