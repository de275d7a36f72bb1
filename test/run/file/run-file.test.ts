import { appendFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/plan.ts';
import { listRuns, readRun, sentBy } from '../../../src/run/file/read.ts';
import { nextRunId, openRunFile, type RunFile, runPath } from '../../../src/run/file/write.ts';
import { createSeals } from '../../../src/sync/keys.ts';
import { testFolder } from '../../support/cli.ts';
import { planFor, shown, wanted } from '../../support/plans.ts';
import { SEALS } from '../../support/seals.ts';

const AT = '2026-11-20T09:30:00Z';
const SUMMARY = { created: 1, updated: 0, deleted: 0, unchanged: 0, failed: 0, not_attempted: 0 };
const CLOSED = { at: AT, finished: true, stopped: null, converged: true, summary: SUMMARY };

const plan = planFor({
  desired: {
    websites: [
      wanted('a.example.com', { privacy: 2, password: { env: 'A_PASSWORD' } }),
      wanted('b.example.com', { email: true }),
    ],
  },
  current: { websites: [shown('b.example.com', 2, { email: false })] },
});
const item = (index: number) => ({ index, change: plan.changes[index] as Plan['changes'][0] });

let folder: string;
beforeEach(async () => {
  folder = join(await testFolder(), '.websites', 'runs');
});

async function open(): Promise<{ run: string; file: RunFile; path: string }> {
  const run = await nextRunId(folder, Date.now());
  const file = await openRunFile(folder, { run, at: AT, plan, seals: SEALS, settled: new Map() });
  return { run, file, path: runPath(folder, run) };
}

/** The first record was created; the run was killed while it updated the second. */
async function killed(): Promise<{ run: string; path: string }> {
  const { run, file, path } = await open();
  await file.begin(item(0), AT);
  file.end(item(0), { outcome: 'done', id: '9' });
  await file.begin(item(1), AT, { settings: { email: false }, passwordSet: true });
  await file.close();
  return { run, path };
}

test('a run file records each begun or ended change and the values before it', async () => {
  const { run } = await killed();
  const recorded = await readRun(folder, run, { seals: SEALS });
  expect(recorded.past).toMatchObject({ run, sealed: true, closed: undefined });
  expect(recorded.plan.digest).toBe(plan.digest);
  expect(recorded.changes[1]?.shown).toEqual({ settings: { email: false }, passwordSet: true });
  expect(sentBy(recorded).map(({ id }) => id)).toEqual(['9', '2']);
  expect(recorded.changes.map(({ outcome, id }) => [outcome, id])).toEqual([
    ['done', '9'],
    ['unknown', '2'],
  ]);
});

test('only the owner can read a run file, and it holds no secret', async () => {
  const { path } = await killed();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).not.toContain('s3cret');
});

test('a finished run is listed with its outcome', async () => {
  const { run, file } = await open();
  await file.close(CLOSED);
  expect(await listRuns(folder, SEALS)).toMatchObject([{ run, sealed: true, closed: CLOSED }]);
});

test('a run file can end in a partial line, but no earlier line can be damaged', async () => {
  const { run, path } = await killed();
  const text = await readFile(path, 'utf8');
  await appendFile(path, '{"entry":"ended","index":1,"dom');
  const { changes } = await readRun(folder, run, { seals: SEALS });
  expect(changes.map(({ outcome }) => outcome)).toEqual(['done', 'unknown']);
  await writeFile(path, text.replace('"begun"', '"begin"'));
  await expect(readRun(folder, run, { seals: SEALS })).rejects.toMatchObject({
    code: 'file-failed',
    place: { line: 3 },
  });
});

test.each([
  ['its opening is altered', (text: string) => text.replace('"create":1', '"create":2')],
  ['it has no seal', (text: string) => text.replace(/,"seal":"[0-9a-f]{64}"/, '')],
])('a run file has no valid seal if %s', async (_, spoil) => {
  const { run, path } = await killed();
  await writeFile(path, spoil(await readFile(path, 'utf8')));
  await expect(readRun(folder, run, { seals: SEALS })).rejects.toMatchObject({ code: 'seal-invalid' });
});

test('reading a run file with another API key or with a modified plan is an error', async () => {
  const { run, path } = await killed();
  const other = createSeals('other', 'https://analytics.example.com');
  await expect(readRun(folder, run, { seals: other })).rejects.toMatchObject({ code: 'seal-invalid' });
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('"email"', '"exclude_bots"'));
  await expect(readRun(folder, run, { seals: SEALS })).rejects.toMatchObject({ code: 'file-failed' });
});

test('run files beyond a hundred are deleted if they are old', async () => {
  const old = Date.now() / 1000 - 3600;
  for (let count = 0; count < 101; count += 1) {
    const { file, path } = await open();
    await file.close(CLOSED);
    if (count !== 0) await utimes(path, old, old);
  }
  const { file } = await open();
  await file.close(CLOSED);
  expect(await readdir(folder)).toHaveLength(101);
});
