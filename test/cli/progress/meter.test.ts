import { afterEach, expect, test, vi } from 'vitest';
import { createMeter } from '../../../src/cli/progress/meter.ts';
import type { Action } from '../../../src/model/change.ts';
import type { RunEvent } from '../../../src/model/run.ts';
import type { LimiterState } from '../../../src/model/service.ts';

afterEach(() => vi.useRealTimers());

const FREE: LimiterState = { ...{ width: 10, heldForMs: 0, requests: 0, requestsPerSecond: undefined } };

/** A meter with a clock that the test controls. */
function meterAt(limiter: () => LimiterState = () => FREE) {
  vi.useFakeTimers();
  const meter = createMeter();
  meter.follow(limiter);
  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
  const change = (type: 'change_started' | 'change_done', action: Action): void =>
    meter.event({ type, action, domain: 'a.example' });
  const fail = (action: Action): void => {
    const failure = { outcome: 'failed', code: 'service-refused', message: 'no', attempts: 1 } as const;
    meter.event({ type: 'change_failed', action, domain: 'a.example', ...failure });
  };
  return { meter, pass, change, fail };
}

const run = (changes: number) => ({ type: 'run_started', run: 'r', changes }) satisfies RunEvent;

test('the progress of a listing has a rate and an estimate of the remaining time', () => {
  const { meter, pass } = meterAt();
  expect(meter.facts()).toBeUndefined();
  meter.read({ what: 'list', done: 100, total: 1000, ended: false });
  expect(meter.facts()).toMatchObject({ kind: 'list', done: 100, total: 1000, rate: undefined });
  pass(2);
  meter.read({ what: 'list', done: 400, total: 1000, ended: false });
  expect(meter.facts()).toMatchObject({ done: 400, rate: 200, left: 3 });
  meter.read({ what: 'list', done: 1000, ended: true });
  expect(meter.facts()).toBeUndefined();
});

test('the rate of a listing that starts again counts from its new start', () => {
  const { meter, pass } = meterAt();
  meter.read({ what: 'list', done: 900, ended: false });
  pass(10);
  meter.read({ what: 'list', done: 100, ended: false });
  pass(1);
  expect(meter.facts()).toMatchObject({ done: 100, rate: 100 });
});

test('the progress of a run counts all changes together, with elapsed time and failures', () => {
  const { meter, pass, change, fail } = meterAt();
  meter.event(run(4));
  expect(meter.facts()).toBeUndefined();
  change('change_started', 'create');
  pass(1);
  change('change_done', 'create');
  fail('create');
  expect(meter.facts()).toMatchObject({ kind: 'create', done: 1, failed: 1, total: 4, rate: 2, left: 1 });
  meter.event({ type: 'verify_started' });
  expect(meter.facts()).toBeUndefined();
  pass(1);
  change('change_started', 'delete');
  expect(meter.facts()).toMatchObject({ kind: 'delete', done: 1, failed: 1, total: 4, rate: 1 });
  meter.event(run(2));
  change('change_started', 'update');
  expect(meter.facts()).toMatchObject({ kind: 'update', done: 0, failed: 0, total: 2 });
});

test('progress shows a listing during a run until it ends, and then the changes again', () => {
  const { meter, change } = meterAt();
  meter.event(run(1));
  change('change_started', 'update');
  meter.read({ what: 'list', done: 1, ended: false });
  expect(meter.facts()).toMatchObject({ kind: 'list' });
  meter.read({ what: 'list', done: 1, ended: true });
  expect(meter.facts()).toMatchObject({ kind: 'update' });
  meter.event({ type: 'verify_started' });
  expect(meter.facts()).toBeUndefined();
});

test('progress shows how long requests are held, and the estimate includes it', () => {
  let state = FREE;
  const { meter, pass, change } = meterAt(() => state);
  meter.event(run(100));
  change('change_started', 'create');
  expect(meter.facts()).toMatchObject({ heldFor: undefined, left: undefined });
  state = { ...FREE, requestsPerSecond: 1 };
  expect(meter.facts()).toMatchObject({ left: 100 });
  state = { ...state, heldForMs: 60_000 };
  pass(1);
  change('change_done', 'create');
  expect(meter.facts()).toMatchObject({ heldFor: 60, left: 99 });
  for (let more = 0; more < 98; more += 1) change('change_done', 'create');
  expect(meter.facts()).toMatchObject({ left: 60 });
});
