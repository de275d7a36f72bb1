import { describe, expect, it } from 'vitest';
import { createWindow } from '../../../src/client/rate-limit/quota-window.ts';
import type { Ticket } from '../../../src/model/service.ts';

const ticket = (number: number, answeredBefore = number - 1, isProbe = false): Ticket => ({
  number,
  answeredBefore,
  isProbe,
});

describe('what is left of a window', () => {
  it('counts from the answer that told it, with what was under way then', () => {
    const window = createWindow();
    window.learn({ throttled: false, remaining: 2 }, ticket(3, 1));
    // The second was under way, and may have been counted after the third.
    expect([3, 4].map((sent) => window.width(sent))).toEqual([Number.POSITIVE_INFINITY, 1]);
    expect([3, 4].map((sent) => window.isProbing(sent))).toEqual([false, true]);
  });

  it('is what the newest request was told, in whichever order answers come', () => {
    const window = createWindow();
    window.learn({ throttled: false, remaining: 10 }, ticket(5));
    window.learn({ throttled: false, remaining: 0 }, ticket(4));
    window.learn({ throttled: false }, ticket(6));
    expect(window.isProbing(14)).toBe(false);
    expect(window.isProbing(15)).toBe(true);
  });

  it('is sent, and only then the end of the window is waited for', () => {
    const window = createWindow();
    expect(window.learn({ throttled: false, remaining: 1, resetMs: 5000 }, ticket(1))).toBeUndefined();
    expect(window.learn({ throttled: false, remaining: 0, resetMs: 3_600_000 }, ticket(2))).toBe(3_600_000);
    expect(window.learn({ throttled: false, remaining: 0, resetMs: 3_600_001 }, ticket(3))).toBeUndefined();
    expect(window.learn({ throttled: true, remaining: 0, resetMs: 5000 }, ticket(4))).toBeUndefined();
  });

  it('is anything where the limit is none, whatever is said to be left', () => {
    const window = createWindow();
    expect(
      window.learn({ throttled: false, limit: 0, remaining: 0, resetMs: 5000 }, ticket(1)),
    ).toBeUndefined();
    expect(window.isProbing(9)).toBe(false);
  });

  it('is anything again in the next window, and answers to requests of the one before tell nothing', () => {
    const window = createWindow();
    window.learn({ throttled: false, remaining: 0 }, ticket(1));
    expect(window.isProbing(2)).toBe(true);
    window.renew(2);
    window.learn({ throttled: false, remaining: 0 }, ticket(2));
    expect(window.isProbing(2)).toBe(false);
  });
});

describe('the rate', () => {
  it.each<[string, readonly Parameters<ReturnType<typeof createWindow>['learn']>[0][], number]>([
    ['the longest time to a reset', [30_000, 29_000].map((resetMs) => ({ throttled: false, resetMs })), 4],
    ['the wait of a throttled answer', [{ throttled: true, limit: 120, waitMs: 30_000 }], 4],
    ['the usual minute, where the wait is of no limit', [{ throttled: true, waitMs: 30_000 }], 2],
    ['the usual minute, where the reset is no window', [{ throttled: false, resetMs: 3_600_001 }], 2],
    ['an hour at most', [{ throttled: false, resetMs: 3_600_000 }], 120 / 3600],
  ])('goes by %s', (_, paces, expected) => {
    const window = createWindow();
    paces.forEach((pace, index) => void window.learn(pace, ticket(index + 1)));
    window.learn({ throttled: false, limit: 120 }, ticket(9));
    expect(window.rate()).toBe(expected);
  });

  it('is not known from a limit of none: the request was let through', () => {
    const window = createWindow();
    window.learn({ throttled: false, limit: 0 }, ticket(1));
    expect(window.rate()).toBeUndefined();
  });
});
