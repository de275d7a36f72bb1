/** Applies on a service that throttles and loses responses. */
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { setPlace } from '../support/place.ts';
import { type Fault, seededFaults } from '../support/scripted-service.ts';

const COUNT = 300;
const fileOf = (count: number): string =>
  `websites:\n${Array.from({ length: count }, (_, index) => `  - site-${index}.example\n`).join('')}`;
/** The fewest requests: the list of the plan, the creates, and the pages of the list that verifies them. */
const LEAST = 1 + COUNT + COUNT / 100;

/** Faults after the service has stored the record. */
const LOST: readonly Fault[] = [
  { kind: 'status', status: 500, when: 'after' },
  { kind: 'status', status: 502, when: 'after' },
  { kind: 'reset', when: 'after' },
  { kind: 'cut' },
];

test.each(['laravel', 'none'] as const)(
  'apply creates 300 records despite a rate limit and lost responses (headers: %s)',
  async (headers) => {
    const lose = seededFaults(1, 0.05, LOST);
    let lost = 0;
    const { service, run } = await setPlace(fileOf(COUNT), {
      dialect: { rateLimit: { requests: 60, windowMs: 1000, headers } },
      faults: (request) => {
        const fault = request.method === 'POST' ? lose(request) : undefined;
        if (fault !== undefined) lost += 1;
        return fault;
      },
    });
    const applied = await run('apply --auto-approve --format json');
    const result = JSON.parse(applied.stdout) as Result;
    expect({ code: applied.code, ...result }).toMatchObject({
      code: 0,
      summary: { created: COUNT, failed: 0, not_attempted: 0 },
      failures: [],
      converged: true,
    });
    expect(new Set(service.records().map(({ domain }) => domain)).size).toBe(COUNT);
    expect(service.records()).toHaveLength(COUNT);
    expect(lost).toBeGreaterThan(5);
    expect(service.requests.length).toBeLessThanOrEqual(1.25 * LEAST);
    expect(result.requests).toBe(service.requests.length);
  },
  120_000,
);

test('apply waits while the service throttles for a second, and no record fails', async () => {
  let until = 0;
  const { service, run } = await setPlace(fileOf(30), {
    faults: ({ method }) => {
      if (method === 'POST' && until === 0) until = Date.now() + 1000;
      return Date.now() < until ? { kind: 'throttle', seconds: 0, headers: 'laravel' } : undefined;
    },
  });
  const applied = await run('apply --auto-approve --format json');
  expect({ code: applied.code, ...JSON.parse(applied.stdout) }).toMatchObject({
    code: 0,
    summary: { created: 30, failed: 0, not_attempted: 0 },
  });
  // 30 creates, at most 10 that were throttled, 6 requests that test the limit, and two lists.
  expect(service.requests.length).toBeLessThanOrEqual(30 + 10 + 6 + 2);
});

test('apply does not record an update as sent if another client made it during the wait', async () => {
  let isMade = false;
  const place = await setPlace('websites: [{ domain: a.example, email: true }]', {
    records: [{ domain: 'a.example', email: 0 }],
    faults: ({ method }) => {
      if (method !== 'PUT' || isMade) return undefined;
      isMade = true;
      place.change('a.example', { email: 1 });
      return { kind: 'throttle', seconds: 2, headers: 'laravel' };
    },
  });
  const applied = await place.run('apply --auto-approve --format json');
  expect(applied).toMatchObject({ code: 0 });
  const { run, summary } = JSON.parse(applied.stdout) as Result;
  expect(summary).toMatchObject({ updated: 0, unchanged: 1 });
  const { stdout } = await place.run(`runs ${run} --format json`);
  expect(JSON.parse(stdout).changes).toMatchObject([{ outcome: 'not_attempted' }]);
});
