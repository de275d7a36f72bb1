import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { setPlace } from '../support/place.ts';

const FILE = 'version: 1\nwebsites: [a.example, b.example, c.example]\n';
const later = (wait: string) =>
  ({ kind: 'status', status: 429, when: 'before', headers: { 'retry-after': wait } }) as const;

test('apply exits with 4 if the service asks to wait an hour, and can run again later', async () => {
  const { service, run } = await setPlace(FILE);
  let creates = 0;
  service.faults = ({ method }) => (method === 'POST' && ++creates > 1 ? later('3600') : undefined);
  const apply = 'apply --auto-approve --parallelism 1 --format json';
  const { code, stdout } = await run(apply);
  const result = JSON.parse(stdout) as Result;
  expect({ code, created: result.summary.created }).toEqual({ code: 4, created: 1 });
  expect(JSON.stringify(result)).toContain('asks to wait 3600 s');
  service.faults = () => undefined;
  expect(await run(apply)).toMatchObject({ code: 0 });
  expect(service.records()).toHaveLength(3);
});

test('plan exits with 1 and names WEBSITES_MAX_WAIT if the service asks for a longer wait', async () => {
  const { run } = await setPlace(FILE, { faults: () => later('2') }, { WEBSITES_MAX_WAIT: '1s' });
  const { code, stderr } = await run('plan');
  expect(code).toBe(1);
  expect(stderr).toContain('WEBSITES_MAX_WAIT=2s');
});

test('WEBSITES_MAX_WAIT limits the sum of all waits', async () => {
  const { run } = await setPlace(FILE, { faults: () => later('1') }, { WEBSITES_MAX_WAIT: '2s' });
  const { stderr } = await run('plan');
  expect(stderr).toContain('asks to wait 3 s in all');
});
