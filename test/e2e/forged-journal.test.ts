/** A journal that another key sealed causes no write (SECURITY.md). A changed one counts up to the change. */
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Plan, Seals } from '../../src/model/plan.ts';
import { planDigest } from '../../src/planner/plan-file/write.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { type Place, setPlace } from '../support/place.ts';
import { sealsOf } from '../support/seals.ts';

/** A valid run ID that no run of these tests gets. */
const RUN = '20261125T080000.000Z-aaaaaa';

async function setUp(websites: string, records: readonly string[] = []) {
  const file = `version: 1\nwebsites: ${websites}\n`;
  return setPlace(file, { records }, { WEBSITES_REQUEST_TIMEOUT: '200ms' });
}

/** Paths of the journals, oldest first. */
async function journalsOf({ folder }: Place): Promise<readonly string[]> {
  const runs = join(folder, '.websites/runs');
  return (await readdir(runs)).sort().map((name) => join(runs, name));
}

/** The plan of the files, changed by `forge`. */
async function planOf({ folder, run }: Place, forge: (plan: Plan) => Partial<Plan>): Promise<Plan> {
  await run('plan --out plan.json');
  const { seal: _, ...plan } = JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8')) as Plan;
  const forged = { ...plan, ...forge(plan) };
  return { ...forged, digest: planDigest(forged, sha256) };
}

interface Forged {
  readonly run?: string;
  /** More members of the first line. */
  readonly opened?: object;
  readonly entries?: readonly object[];
  /** The key that seals the first line; without one it has no seal. */
  readonly key?: string;
}

async function addJournal(
  { folder, service }: Place,
  plan: Plan,
  { run = RUN, opened, entries = [], key }: Forged = {},
): Promise<string> {
  const first = {
    entry: 'opened',
    format: 'websites.journal/2',
    run,
    at: '2026-11-25T08:00:00Z',
    service: plan.service,
    plan: plan.digest,
    planned: { create: 0, update: 0, delete: 0 },
    ...opened,
  };
  const planned = { entry: 'planned', settled: [], plan };
  const lines = [first, planned, ...entries].map((entry) => JSON.stringify(entry));
  if (key !== undefined) lines[0] = sealed(run, lines[0] ?? '', await sealsOf(key, service.url));
  await mkdir(join(folder, '.websites/runs'), { recursive: true });
  const path = join(folder, '.websites/runs', `${run}.ndjson`);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

function sealed(run: string, line: string, seals: Seals): string {
  return `${line.slice(0, -1)},"seal":"${seals.of('journal', `${run}\n${line}`)}"}`;
}

/** A delete that no guard has checked. */
const DELETE: Plan['changes'][0] = {
  action: 'delete',
  domain: 'other.example',
  id: '2',
  before: { privacy: 1 },
  cause: 'prune',
  risk: { level: 'critical', reason: 'record deleted' },
  notes: [],
};

const CREATED = { entry: 'ended', index: 0, domain: 'other.example', outcome: 'done', id: '2' };
const create = (plan: Plan): Partial<Plan> => ({
  changes: [{ ...(plan.changes[0] as Plan['changes'][0]), domain: 'other.example' }] as Plan['changes'],
});

const RECORDS = ['keep.example', 'other.example'];

describe.each([
  ['without seals', undefined],
  ['with seals of another key', 'another-key'],
])('a journal %s is not trusted', (_, key) => {
  test('a journal without a valid seal does not stop an apply', async () => {
    const place = await setUp('[keep.example, new.example]', RECORDS);
    await addJournal(place, await planOf(place, () => ({ changes: [DELETE] })), { ...(key && { key }) });
    expect(await place.run('apply --auto-approve')).toMatchObject({ code: 0 });
    expect(place.writes()).toEqual(['POST /websites']);
  });

  test('undo of a journal without a valid seal exits with 1 and writes nothing', async () => {
    const place = await setUp('[keep.example, new.example]', RECORDS);
    await addJournal(place, await planOf(place, create), {
      entries: [{ entry: 'begun', index: 0, domain: 'other.example', at: 'then' }, CREATED],
      ...(key && { key }),
    });
    const stderr = expect.stringContaining('was not written with this API key');
    for (const which of ['', ` ${RUN}`])
      expect(await place.run(`undo --auto-approve${which}`)).toMatchObject({ code: 1, stderr });
    expect(place.writes()).toEqual([]);
  });

  test('several journals without a valid seal delay apply once, by at most 2 seconds', async () => {
    const place = await setUp('[keep.example]', RECORDS);
    const plan = await planOf(place, () => ({ changes: [DELETE] }));
    const soon = Date.now() / 1000 + 1e6;
    for (const second of ['01', '02', '03']) {
      const run = RUN.replace('00.000', `${second}.000`);
      const opened = { request_timeout_ms: Number.MAX_SAFE_INTEGER };
      await utimes(await addJournal(place, plan, { run, opened, ...(key && { key }) }), soon, soon);
    }
    const startedAt = performance.now();
    const applied = await place.run('apply --auto-approve');
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Waiting [12] s/) });
    expect(applied.stderr.match(/Waiting/g)).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

test.each(['99991231T235959.999Z-aaaaaa', '20269999T999999.999Z-aaaaaa'])(
  'apply does not crash on a journal with the name %s',
  async (run) => {
    const place = await setUp('[a.example]');
    await addJournal(place, await planOf(place, () => ({})), { run });
    const applied = await place.run('apply --auto-approve');
    expect([0, 1]).toContain(applied.code);
    expect(applied.stderr).not.toContain('bug');
  },
);

test('with a replaced API key, apply waits for earlier runs, and undo of them exits with 1', async () => {
  const place = await setUp('[a.example]');
  expect(await place.run('apply --auto-approve')).toMatchObject({ code: 0 });
  const [path = ''] = await journalsOf(place);
  const run = path.slice(-34, -7);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const bare = (lines[0] ?? '').replace(/,"seal":"[0-9a-f]{64}"\}$/, '}');
  const resealed = lines.with(0, sealed(run, bare, await sealsOf('the key before', place.service.url)));
  await writeFile(path, `${resealed.slice(0, -1).join('\n')}\n`);
  expect((await place.run('apply --auto-approve')).stderr).toMatch(/^Waiting [12] s/);
  await writeFile(path, `${resealed.join('\n')}\n`);
  expect(await place.run('undo --auto-approve')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(run),
  });
});

/** A place whose apply was killed during the third of three creates. */
async function setUpKilled() {
  const place = await setUp('[a.example, b.example, c.example]', ['x.example', 'y.example']);
  place.service.faults = ({ method, body }) =>
    method === 'POST' && body.includes('c.example') ? { kind: 'hang', when: 'before' } : undefined;
  // The next run waits this long for requests in flight.
  place.env.WEBSITES_REQUEST_TIMEOUT = '1s';
  const running = place.start('apply --auto-approve --parallelism 1');
  while (!place.service.requests.some(({ body }) => body.includes('c.example')))
    await new Promise((done) => setTimeout(done, 5));
  running.child.kill('SIGKILL');
  await running.ended;
  place.env.WEBSITES_REQUEST_TIMEOUT = '200ms';
  place.service.faults = undefined;
  const [path = ''] = await journalsOf(place);
  return { ...place, path, lines: (await readFile(path, 'utf8')).trimEnd().split('\n') };
}

const isEnd = (line: string): boolean => line.includes('"entry":"ended"');

test.each<[what: string, spoil: (lines: readonly string[]) => readonly string[]]>([
  ['is cut in its last line', (lines) => lines.with(-1, (lines.at(-1) ?? '').slice(0, -9))],
  ['is cut after its plan', (lines) => lines.slice(0, 2)],
  ['lacks an entry', (lines) => lines.toSpliced(lines.findIndex(isEnd), 1)],
  [
    'has a changed entry',
    (lines) => lines.map((line) => line.replace('"outcome":"done"', '"outcome":"failed"')),
  ],
  [
    'has an added entry',
    (lines) => [...lines, '{"entry":"ended","index":2,"domain":"c.example","outcome":"done","id":"9"}'],
  ],
])('if a journal %s, the next apply creates no record twice', async (_, spoil) => {
  const place = await setUpKilled();
  await writeFile(place.path, `${spoil(place.lines).join('\n')}\n`);
  const applied = await place.run('apply --auto-approve');
  expect(applied.stderr).toContain('Waiting');
  expect(place.domains()).toEqual(['x.example', 'y.example', 'a.example', 'b.example', 'c.example']);
  expect(applied.code).toBe(0);
});

test('undo deletes no other record if somebody changed an ID in the journal', async () => {
  const place = await setUpKilled();
  const other = place.service.records()[0]?.id;
  const text = await readFile(place.path, 'utf8');
  await writeFile(place.path, text.replace(`"id":"${place.recordOf('b.example')?.id}"`, `"id":"${other}"`));
  const undone = await place.run('undo --auto-approve --allow-deletes 3');
  expect(undone.code).toBe(4);
  expect(place.domains()).toEqual(expect.arrayContaining(['x.example', 'y.example', 'b.example']));
});

test('each apply of a plan file needs --allow-deletes again', async () => {
  const place = await setUp('[k.example]', ['k.example', 'a.example', 'b.example', 'c.example', 'd.example']);
  await place.run('plan --prune --out plan.json');
  place.service.faults = ({ method }) =>
    method === 'DELETE' ? { kind: 'status', status: 403, when: 'before' } : undefined;
  const apply = 'apply plan.json --canary 1';
  for (const code of [4, 4, 0]) {
    if (code === 0) place.service.faults = undefined;
    expect(await place.run(apply)).toMatchObject({ code: 5 });
    expect(await place.run(`${apply} --allow-deletes 4`)).toMatchObject({ code });
  }
  expect(place.domains()).toEqual(['k.example']);
});

test('the command runs needs no API key', async () => {
  const place = await setUp('[a.example]');
  await place.run('apply --auto-approve');
  const runs = await place.run('runs', { env: { WEBSITES_API_KEY: '' } });
  expect(runs).toMatchObject({ code: 0, stdout: expect.stringContaining('1 created'), stderr: '' });
});
