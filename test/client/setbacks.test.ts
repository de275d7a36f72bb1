import { describe, expect, test } from 'vitest';
import type { Limiter } from '../../src/client/pace.ts';
import type { ServiceError } from '../../src/model/service.ts';
import { type Fault, faultAt, lookup, scripted } from '../support/scripted-service.ts';
import { connect, failureOf, OPERATIONS, quickClock } from './support.ts';

const SERVER_ERROR: Fault = { kind: 'status', status: 500, when: 'before' };

/** Temporary faults that leave the outcome unknown. */
const DOUBTFUL: readonly [string, Fault, ServiceError['outcome']][] = [
  ['a reset before the write', { kind: 'reset', when: 'before' }, 'unknown'],
  ['a reset after the write', { kind: 'reset', when: 'after' }, 'unknown'],
  ['a reset before a late write', { kind: 'late', ms: 30 }, 'unknown'],
  ['no response', { kind: 'hang', when: 'after' }, 'unknown'],
  ['an endless response', { kind: 'endless' }, 'unknown'],
  ['a response that is cut off', { kind: 'cut' }, 'ended'],
  ['an empty answer', { kind: 'empty' }, 'ended'],
  ['an HTML page', { kind: 'page' }, 'ended'],
  ['status 500 before the write', SERVER_ERROR, 'ended'],
  ['status 500 after the write', { kind: 'status', status: 500, when: 'after' }, 'ended'],
  ['status 502', { kind: 'status', status: 502, when: 'after' }, 'unknown'],
  ['status 503', { kind: 'status', status: 503, when: 'before' }, 'unknown'],
  ['status 504', { kind: 'status', status: 504, when: 'after' }, 'unknown'],
  ['status 408', { kind: 'status', status: 408, when: 'before' }, 'unknown'],
  [
    'a 303',
    { kind: 'status', status: 303, when: 'after', headers: { location: '/api/v1/websites/1' }, body: '' },
    'unknown',
  ],
  [
    'a 302 to the same URL',
    { kind: 'status', status: 302, when: 'after', headers: { location: '/api/v1/websites' }, body: '' },
    'unknown',
  ],
];

const requestTimeoutMs = 1000;

test.each(DOUBTFUL)('a create is not sent again after %s', async (_what, fault, outcome) => {
  const service = await scripted({ faults: () => fault });
  const before = Math.floor(performance.now());
  const error = await failureOf(connect(service, { requestTimeoutMs }).create('a.example', {}));
  expect(error).toMatchObject({ outcome, blame: 'service', attempts: 1 });
  expect(error.sentAt).toBeGreaterThanOrEqual(before);
  expect(error.message).toMatch(
    /^Cannot create a\.example: POST http:\/\/127\.0\.0\.1:\d+\/api\/v1\/websites /,
  );
  expect(service.requests).toHaveLength(1);
});

test.each(['', '{"status":"queued"}', '{"data":'])(
  'a create with the response 202 may still be in progress: %j',
  async (body) => {
    const service = await scripted({ faults: () => ({ kind: 'status', status: 202, when: 'before', body }) });
    const error = await failureOf(connect(service).create('a.example', {}));
    expect(error).toMatchObject({ code: 'answer-invalid', outcome: 'unknown', attempts: 1 });
    expect(service.requests).toHaveLength(1);
  },
);

test('a create counts as in progress since it was sent, not since a connection was requested', async () => {
  const service = await scripted({ faults: () => ({ kind: 'reset', when: 'after' }) });
  const clock = quickClock();
  // Nothing is sent before the look-up of the name, which takes four seconds.
  const slowLookup: typeof lookup = (...asked) => void clock.sleep(4000).then(() => lookup(...asked));
  const url = service.url.replace('127.0.0.1', 'slow.test');
  const before = clock.monotonic();
  const client = connect({ ...service, url }, { clock, connect: { lookup: slowLookup } });
  const error = await failureOf(client.create('a.example', {}));
  expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
  expect(error.sentAt).toBeGreaterThanOrEqual(before + 4000);
});

const CUT_OFF = { 'retry-after': '7', 'content-length': '100', connection: 'close' };

test.each<[string, Fault]>([
  ['429 with Retry-After in seconds', { kind: 'throttle', seconds: 7, headers: 'laravel' }],
  ['503 with Retry-After as a date', { kind: 'throttle', seconds: 7, headers: 'date', status: 503 }],
  [
    '429 with Retry-After in seconds, cut off',
    { kind: 'status', status: 429, when: 'before', headers: CUT_OFF },
  ],
])('a create is sent again after %s', async (_what, fault) => {
  const service = await scripted({ faults: faultAt(0, fault) });
  const clock = quickClock();
  await connect(service, { clock }).create('a.example', {});
  expect(service.records()).toHaveLength(1);
  expect(service.requests).toHaveLength(2);
  // A date has whole seconds.
  expect(clock.sleeps[0]).toBeGreaterThanOrEqual(6000);
  expect(clock.sleeps[0]).toBeLessThanOrEqual(8000);
});

test('a create is retried until the service accepts connections', async () => {
  const service = await scripted();
  await service.shut();
  const clock = quickClock();
  const sleep = async (milliseconds: number): Promise<void> => {
    if (clock.sleeps.length === 2) await service.reopen();
    await clock.sleep(milliseconds);
  };
  await connect(service, { clock: { ...clock, sleep } }).create('a.example', {});
  expect(service.records()).toHaveLength(1);
  expect(clock.sleeps).toEqual([150, 300, 600]);
});

test('a create without a connection fails after five attempts', async () => {
  const service = await scripted();
  await service.shut();
  const error = await failureOf(connect(service).create('a.example', {}));
  expect(error).toMatchObject({ code: 'service-unreachable', outcome: 'refused', attempts: 5 });
  expect(error.message).toMatch(
    /failed: the connection was refused \(ECONNREFUSED\) \(after 5 attempts\)\.$/,
  );
  await service.reopen();
});

const OTHERS = { read: 'GET', update: 'PUT', delete: 'DELETE', list: 'GET' } as const;

describe.each(Object.entries(OTHERS) as [keyof typeof OTHERS, string][])('%s is retried', (name, method) => {
  const passing = DOUBTFUL.filter(
    ([what]) => !what.startsWith('a 30') && !(what === 'an empty answer' && /update|delete/.test(name)),
  );

  test.each(passing)('an operation other than a create is sent again after %s', async (_what, fault) => {
    const service = await scripted({ records: ['a.example'], faults: faultAt(0, fault) });
    await OPERATIONS[name](connect(service, { requestTimeoutMs }));
    expect(service.requests.map((request) => request.method)).toEqual([method, method]);
    if (name === 'update') expect(service.records()).toMatchObject([{ email: 1 }]);
    if (name === 'delete') expect(service.records()).toEqual([]);
  });
});

test('an operation has five attempts, with growing pauses', async () => {
  const service = await scripted({ records: ['a.example'], faults: () => SERVER_ERROR });
  const clock = quickClock();
  const error = await failureOf(connect(service, { clock }).read('1'));
  expect(error).toMatchObject({ code: 'service-failed', status: 500, attempts: 5, blame: 'service' });
  expect(error.message).toMatch(/answered 500: Server Error \(after 5 attempts\)\.$/);
  expect(service.requests).toHaveLength(5);
  expect(clock.sleeps).toEqual([150, 300, 600, 1200]);
});

test('an operation ends at its time limit', async () => {
  const service = await scripted({ records: ['a.example'], faults: () => SERVER_ERROR });
  const error = await failureOf(connect(service, { timeoutMs: 400 }).read('1'));
  expect(error).toMatchObject({ attempts: 2 });
});

test('a time limit can be longer than the longest timer of Node.js', async () => {
  const service = await scripted({ records: ['a.example'], faults: () => ({ kind: 'delay', ms: 60 }) });
  const month = 30 * 86_400_000;
  const client = connect(service, { timeoutMs: month, requestTimeoutMs: month });
  expect(await client.read('1')).toMatchObject({ domain: 'a.example' });
  expect(service.requests).toHaveLength(1);
});

test('an error has the least certain outcome of all attempts', async () => {
  const faults: Fault[] = [
    { kind: 'reset', when: 'after' },
    { kind: 'status', status: 422, when: 'before' },
  ];
  const service = await scripted({ records: ['a.example'], faults: ({ number }) => faults[number] });
  const error = await failureOf(connect(service).update('1', 'a.example', { email: true }));
  expect(error).toMatchObject({ status: 422, outcome: 'unknown', attempts: 2 });
});

const throttle = (seconds: number): Fault => ({ kind: 'throttle', seconds, headers: 'laravel' });

test('throttling does not count toward attempts or the time limit', async () => {
  const faults = [
    throttle(60),
    throttle(60),
    SERVER_ERROR,
    SERVER_ERROR,
    throttle(60),
    SERVER_ERROR,
    SERVER_ERROR,
  ];
  const service = await scripted({ records: ['a.example'], faults: ({ number }) => faults[number] });
  const clock = quickClock();
  expect(await connect(service, { clock, timeoutMs: 10_000 }).read('1')).toMatchObject({
    domain: 'a.example',
  });
  expect(service.requests).toHaveLength(8);
  expect(clock.sleeps.filter((milliseconds) => milliseconds > 50_000)).toHaveLength(3);
});

test('an operation that is throttled each time fails after ten waits, with nothing carried out', async () => {
  const service = await scripted({ faults: () => throttle(1) });
  const error = await failureOf(connect(service).create('a.example', {}));
  expect(error).toMatchObject({
    code: 'service-failed',
    status: 429,
    outcome: 'refused',
    blame: 'service',
    attempts: 1,
  });
  expect(service.requests).toHaveLength(11);
});

test('a service that asks to wait a day fails one operation, and delays no other', async () => {
  const service = await scripted({ faults: () => throttle(86_400) });
  const paces: unknown[] = [];
  const limiter: Limiter = { enter: async () => 1, leave: (_, pace) => paces.push(pace) };
  expect(await failureOf(connect(service, { limiter }).create('a.example', {}))).toMatchObject({
    status: 429,
  });
  expect(paces).toEqual([expect.not.objectContaining({ waitMs: expect.anything() })]);
});
