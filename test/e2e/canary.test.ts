import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import type { Ended } from '../support/cli.ts';
import { type Place, setPlace } from '../support/place.ts';
import type { LoggedRequest, ScriptedService } from '../support/scripted-service.ts';

const DOMAINS = Array.from({ length: 20 }, (_, index) => `site-${10 + index}.example`);
const FILE = `version: 1\nwebsites:\n${DOMAINS.map((domain) => `  - ${domain}\n`).join('')}`;

/** A service that would store a domain twice, so that only the tool can prevent it. */
const setUp = () => setPlace(FILE, { dialect: { unique: false } }, { WEBSITES_REQUEST_TIMEOUT: '1s' });

const resultOf = ({ stdout }: Ended): Result => JSON.parse(stdout) as Result;
const isPost = ({ method }: LoggedRequest): boolean => method === 'POST';
const domainOf = ({ body }: LoggedRequest): string => new URLSearchParams(body).get('domain') ?? '';
const posts = ({ requests }: ScriptedService): string[] => requests.filter(isPost).map(domainOf);
const stored = (service: ScriptedService): string[] => service.records().map(({ domain }) => domain);

const refusing =
  (...domains: readonly (string | undefined)[]) =>
  (request: LoggedRequest) =>
    isPost(request) && domains.includes(domainOf(request))
      ? ({ kind: 'status', status: 422, when: 'before' } as const)
      : undefined;

test('apply stops after a canary that fails, and the next apply creates each record once', async () => {
  const { service, run } = await setUp();
  service.faults = refusing(DOMAINS[2]);
  const first = await run('apply --canary 5 --auto-approve --format json');
  expect({ code: first.code, ...resultOf(first) }).toMatchObject({
    code: 4,
    summary: { created: 4, failed: 1, not_attempted: 15 },
    stopped: 'stopped after the canary: 1 change failed',
    converged: true,
  });
  expect(posts(service).sort()).toEqual(DOMAINS.slice(0, 5));
  expect((await run('runs')).stdout).toMatch(/ 15 changes +\S+$/m);

  service.faults = undefined;
  const second = await run('apply --auto-approve --format json');
  expect({ code: second.code, ...resultOf(second) }).toMatchObject({
    code: 0,
    summary: { created: 16, unchanged: 4, failed: 0, not_attempted: 0 },
    converged: true,
  });
  expect(stored(service).sort()).toEqual(DOMAINS);
  expect(
    posts(service)
      .filter((domain) => domain !== DOMAINS[2])
      .sort(),
  ).toEqual(DOMAINS.filter((domain) => domain !== DOMAINS[2]));
  expect(await run('plan --detailed-exitcode')).toMatchObject({ code: 0 });
});

test('apply --canary prints its start and its verification as text and as events', async () => {
  const { service, run } = await setUp();
  const canary = 'apply --canary 4 --auto-approve';
  const { stdout } = await run(`${canary} --format ndjson`);
  expect(stdout.match(/^\{"type":"canary_.*$/gm)).toEqual([
    '{"type":"canary_started","changes":4}',
    '{"type":"canary_verified","done":4,"failed":0}',
  ]);
  expect(service.requests.filter(({ method }) => method === 'GET')).toHaveLength(1 + 2);
  for (const { id } of service.records()) service.remove(id);
  const person = await run(canary);
  expect(person).toMatchObject({ code: 0, stdout: expect.stringContaining('Verified') });
  expect(person.stderr.match(/^Canary.*$/gm)).toEqual(['Canary: 4 changes.', 'Canary verified: 4 changes.']);
});

test('apply of a saved plan and undo also stop if their canary fails', async () => {
  const { service, run } = await setUp();
  await run('plan --out plan.json');
  service.faults = refusing(DOMAINS[0]);
  const canary = '--canary 1 --format json';
  const first = await run(`apply plan.json ${canary}`);
  expect({ code: first.code, stored: stored(service) }).toEqual({ code: 4, stored: [] });
  service.faults = undefined;
  expect(await run(`apply plan.json ${canary}`)).toMatchObject({ code: 0 });
  expect(stored(service).sort()).toEqual(DOMAINS);

  const deletes = (): number => service.requests.filter(({ method }) => method === 'DELETE').length;
  const broken = { kind: 'status', status: 422, when: 'before' } as const;
  service.faults = ({ method }) => (method === 'DELETE' ? broken : undefined);
  const undo = 'undo --auto-approve --allow-deletes 20';
  expect(await run(`${undo} ${canary}`)).toMatchObject({ code: 4 });
  expect({ deletes: deletes(), stored: stored(service).length }).toEqual({ deletes: 1, stored: 20 });
  service.faults = undefined;
  expect(await run(undo)).toMatchObject({ code: 0 });
  expect(stored(service)).toEqual([]);
});

/** Sends the signal during the verification of the canary. */
async function strikeAfterCanary({ service, start }: Place, signal: NodeJS.Signals): Promise<Ended> {
  let isThere = (): void => undefined;
  const arrived = new Promise<void>((done) => {
    isThere = done;
  });
  service.faults = ({ method }) => {
    if (method !== 'GET' || posts(service).length === 0) return undefined;
    isThere();
    return { kind: 'delay', ms: 500 };
  };
  const { child, ended } = start('apply --canary 5 --auto-approve');
  await arrived;
  child.kill(signal);
  const end = await ended;
  service.faults = undefined;
  return end;
}

test.each([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)('after %s while a canary is verified, apply creates each record once', async (signal, code) => {
  const setting = await setUp();
  const { service, run } = setting;
  expect(await strikeAfterCanary(setting, signal)).toMatchObject({ code });
  expect(posts(service).sort()).toEqual(DOMAINS.slice(0, 5));
  expect(await run('apply --auto-approve')).toMatchObject({ code: 0 });
  expect(stored(service).sort()).toEqual(DOMAINS);
  expect(posts(service)).toHaveLength(DOMAINS.length);
});

test.each(['0', '-1', '1.5', 'abc', ''])('apply exits with 1 for --canary %j', async (value) => {
  const { service, run } = await setUp();
  const ended = await run(`apply --canary=${value} --auto-approve`);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('--canary') });
  expect(ended.stderr).toContain('Write a whole number from 1 up.');
  expect(service.requests).toEqual([]);
});
