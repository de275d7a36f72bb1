import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/cli/io/io.ts';
import { withProgress } from '../../../src/cli/progress/progress.ts';
import type { RunEvent } from '../../../src/model/run.ts';
import { BARE_IO } from '../../support/io.ts';
import { screenOf } from '../../support/screen.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => vi.useRealTimers());

function processWith(columns?: number, outIsTerminal = false) {
  const written = { out: '', err: '', both: '' };
  const write = (stream: 'out' | 'err') => (text: string) => {
    written[stream] += text;
    // A terminal adds a carriage return to each line feed.
    written.both += text.replaceAll('\n', '\r\n');
  };
  const bare: Io = {
    ...BARE_IO,
    ...{ out: write('out'), err: write('err') },
    ...{ outIsTerminal, errIsTerminal: columns !== undefined, barColumns: columns },
  };
  const io = withProgress(bare);
  const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
  return { io, written, progress: io.progress, pass };
}

const WAYS = { quiet: false, verbose: false, streams: false };
const change = (type: 'change_started' | 'change_done', note?: string): RunEvent =>
  type === 'change_done' && note !== undefined
    ? { type, action: 'create', domain: 'a.example', note }
    : { type, action: 'create', domain: 'a.example' };
const FAILED: RunEvent = {
  ...{ type: 'change_failed', action: 'create', domain: 'a.example' },
  ...{ outcome: 'failed', code: 'service-refused', message: 'no', attempts: 1 },
};
const REQUEST = {
  ...{ at: 0, attempt: 1, waitedMs: 0, method: 'GET', url: 'https://a.example/api/v1/websites?page=2' },
  ...{ ms: 12, status: 200, headers: { 'set-cookie': 'session=secret' }, pace: { throttled: false } },
};

test('without a terminal, a progress line is printed every 10 seconds while work is in progress', async () => {
  const { progress, written, pass } = processWith();
  await progress.begin(WAYS);
  pass(60);
  progress.watch.onRead({ what: 'list', done: 100, total: 400, ended: false });
  pass(9);
  expect(written.err).toBe('');
  pass(11);
  expect(written.err.split('\n')).toEqual([
    'Listing: 100/400, 30 s left, 10/s.',
    'Listing: 100/400, 60 s left, 5.0/s.',
    '',
  ]);
  progress.watch.onRead({ what: 'list', done: 400, ended: true });
  pass(30);
  expect(written.err.split('\n')).toHaveLength(3);
  progress.end();
  expect(vi.getTimerCount()).toBe(0);
  expect(written.out).toBe('');
});

test('--quiet prints failures and the reason to stop, but no progress', async () => {
  for (const columns of [undefined, 100]) {
    const { progress, written, pass } = processWith(columns);
    await progress.begin({ ...WAYS, quiet: true });
    progress.watch.onRead({ what: 'list', done: 100, ended: false });
    pass(60);
    const told = [change('change_started'), change('change_done', 'it was there already')];
    expect(told.map(progress.event)).toEqual([false, false]);
    expect([FAILED, { type: 'stopping', reason: 'no' } as const].map(progress.event)).toEqual([true, true]);
    expect(written).toEqual({ out: '', err: '', both: '' });
    expect(vi.getTimerCount()).toBe(0);
    progress.end();
  }
});

test('--verbose prints a line for each request, without headers', async () => {
  const { progress, written } = processWith(100);
  await progress.begin({ ...WAYS, verbose: true });
  progress.watch.onRequest(REQUEST);
  expect(written.err).toBe('1970-01-01T00:00:00.000Z GET /api/v1/websites?page=2 200 12 ms\n');
  progress.end();
  await progress.begin(WAYS);
  progress.watch.onRequest(REQUEST);
  expect(written.err.split('\n')).toHaveLength(2);
});

test('a progress bar leaves other output intact, and is removed at the end', async () => {
  const { io, progress, written, pass } = processWith(60);
  await progress.begin(WAYS);
  io.err('Before.\n');
  progress.watch.onRead({ what: 'list', done: 100, total: 400, ended: false });
  pass(0.1);
  expect(screenOf(written.both)).toMatchObject({
    lines: ['Before.', 'Listing  [=====---------------]  100/400'],
    cursorIsShown: false,
  });
  pass(0.8);
  progress.watch.onRead({ what: 'list', done: 200, total: 400, ended: false });
  io.err('A warning.\n');
  io.out('A result.\n');
  pass(0.1);
  expect(screenOf(written.both).lines).toEqual([
    'Before.',
    'A warning.',
    'A result.',
    'Listing  [==========----------]  200/400  1.0 s left  200/s',
  ]);
  progress.watch.onRead({ what: 'list', done: 400, ended: true });
  pass(0.1);
  const screen = screenOf(written.both);
  expect(screen).toEqual({
    lines: ['Before.', 'A warning.', 'A result.', ''],
    cursorIsShown: true,
    column: 0,
  });
  expect(written.out).toBe('A result.\n');
  progress.end();
});

test('no progress bar is drawn if events are printed on the terminal', async () => {
  const { progress, written } = processWith(60, true);
  await progress.begin({ ...WAYS, streams: true });
  progress.watch.onRead({ what: 'list', done: 1, ended: false });
  expect(written.both).toBe('');
});
