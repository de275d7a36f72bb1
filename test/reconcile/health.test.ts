import { describe, expect, test } from 'vitest';
import type { LimiterView, LoopEvent, PassReport } from '../../src/reconcile/events.ts';
import { createHealth } from '../../src/reconcile/health.ts';

const SECOND = 1000;
const INTERVAL = 60 * SECOND;
const PATIENCE = 100 * SECOND;

function start() {
  let now = 0;
  const health = createHealth({
    clock: { now: () => 0, monotonic: () => now, sleep: async () => undefined },
    intervalMs: INTERVAL,
    patienceMs: PATIENCE,
  });
  return {
    health,
    tell: (event: LoopEvent) => health.tell(event),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    /** A limiter that the service holds for so long from now on. */
    hold: (milliseconds: number) => {
      const until = now + milliseconds;
      return (): LimiterView => ({
        width: 1,
        active: 0,
        heldForMs: Math.max(0, until - now),
        heldMs: 0,
        requestsPerSecond: undefined,
      });
    },
  };
}

const ended = (outcome: PassReport['outcome'], pauseMs = INTERVAL): LoopEvent => ({
  type: 'pass_ended',
  pass: 1,
  report: { outcome },
  seconds: 1,
  failures: 0,
  pauseMs,
});

describe('alive', () => {
  test('while something is heard in time', () => {
    const { health, tell, wait } = start();
    tell({ type: 'pass_started', pass: 1 });
    for (let request = 0; request < 10; request += 1) {
      wait(PATIENCE);
      expect(health.alive().ok).toBe(true);
      tell({ type: 'request', method: 'GET', status: 200 });
    }
    wait(PATIENCE + 1);
    expect(health.alive()).toEqual({ ok: false, reason: 'last sign of life 100 s ago' });
  });

  test('through a pause, however long', () => {
    const { health, tell, wait } = start();
    tell(ended('converged', 3600 * SECOND));
    wait(3600 * SECOND + PATIENCE);
    expect(health.alive().ok).toBe(true);
    wait(1);
    expect(health.alive().ok).toBe(false);
  });

  test('through a wait that the service asked for, whatever is heard meanwhile', () => {
    const { health, tell, wait, hold } = start();
    tell({ type: 'connected', limiter: hold(600 * SECOND) });
    tell({ type: 'request', method: 'PUT', status: 429 });
    tell({ type: 'request', method: 'PUT', status: 200 });
    tell({ type: 'change_done', action: 'update', domain: 'example.com' });
    wait(600 * SECOND - 1);
    expect(health.alive().ok).toBe(true);
    wait(1 + PATIENCE);
    expect(health.alive().ok).toBe(true);
    wait(1);
    expect(health.alive().ok).toBe(false);
  });

  test('no longer than the pause once the pass has ended, be the wait of its service over or not', () => {
    const { health, tell, wait, hold } = start();
    tell({ type: 'connected', limiter: hold(3600 * SECOND) });
    tell(ended('failed'));
    wait(INTERVAL + PATIENCE + 1);
    expect(health.alive().ok).toBe(false);
  });
});

describe('ready', () => {
  test('from the first success on, for three intervals', () => {
    const { health, tell, wait } = start();
    expect(health.ready()).toEqual({ ok: false, reason: 'no pass has succeeded yet' });
    tell(ended('failed'));
    expect(health.ready().ok).toBe(false);
    tell(ended('converged'));
    wait(3 * INTERVAL);
    expect(health.ready().ok).toBe(true);
    wait(SECOND);
    expect(health.ready()).toEqual({ ok: false, reason: 'last success 181 s ago' });
    tell(ended('drift'));
    expect(health.ready().ok).toBe(true);
  });

  test.each(['failed', 'refused', 'incomplete', 'locked'] as const)(
    'not by a pass that was %s',
    (outcome) => {
      const { health, tell } = start();
      tell(ended(outcome));
      expect(health.ready().ok).toBe(false);
    },
  );

  test('while a pass makes progress, however long it takes', () => {
    const { health, tell, wait } = start();
    tell({ type: 'pass_started', pass: 1 });
    for (let request = 0; request < 10; request += 1) {
      wait(INTERVAL);
      expect(health.ready()).toEqual({ ok: true, reason: 'a pass is making progress' });
      tell({ type: 'request', method: 'PUT', status: 200 });
    }
    tell(ended('converged'));
    tell({ type: 'pass_started', pass: 2 });
    wait(4 * INTERVAL - 1);
    expect(health.ready().ok).toBe(false);
    tell({ type: 'request', method: 'PUT', status: 200 });
    expect(health.ready().ok).toBe(true);
  });

  test.each(['failed', 'refused', 'incomplete', 'locked'] as const)(
    'by a success alone after a pass that was %s',
    (outcome) => {
      const { health, tell, wait } = start();
      tell(ended('converged'));
      tell(ended(outcome));
      tell({ type: 'pass_started', pass: 2 });
      expect(health.ready().ok).toBe(true);
      wait(3 * INTERVAL + 1);
      tell({ type: 'request', method: 'GET', status: 200 });
      expect(health.ready().ok).toBe(false);
      tell(ended('converged'));
      expect(health.ready().ok).toBe(true);
    },
  );

  test('no more once it drains', () => {
    const { health, tell } = start();
    tell(ended('converged'));
    tell({ type: 'draining' });
    expect(health.ready()).toEqual({ ok: false, reason: 'draining' });
    expect(health.alive().ok).toBe(true);
  });
});
