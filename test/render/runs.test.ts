import { expect, test } from 'vitest';
import { NOT_SAID } from '../../src/core/next-command.ts';
import { type RunRow, runsHuman } from '../../src/render/runs.ts';

const KILLED: RunRow = {
  run: 'A',
  at: '2026-11-20T09:30:00Z',
  service: 'https://a.example',
  shard: null,
  planned: { create: 2, update: 0, delete: 1 },
  summary: null,
  finished: false,
  continues: null,
  undoes: null,
};

test.each([
  ['is resumed', [], '("websites apply --resume")'],
  ['went on', [{ run: 'B', continues: 'A' }], '(B went on with it)'],
  ['was taken back', [{ run: 'B', undoes: 'A' }], '(B took it back)'],
  [
    'was not taken back after all',
    [{ run: 'B', undoes: 'A', summary: { created: 0, updated: 0, deleted: 0, failed: 1 } }],
    '("websites apply --resume")',
  ],
])('a killed run that %s says so', (_, more, words) => {
  const [line] = runsHuman(
    [KILLED, ...more.map((row) => ({ ...KILLED, ...row }))],
    undefined,
    NOT_SAID,
  ).split('\n');
  expect(line).toBe(`A  2026-11-20T09:30:00Z  https://a.example  not ended, of 3 changes ${words}`);
});

test.each([
  ['is left', [], ''],
  ['went on', [{ run: 'B', continues: 'A' }], ' (B went on with it)'],
])('an interrupted run that %s says so', (_, more, words) => {
  const summary = { created: 1, updated: 0, deleted: 0, failed: 0 };
  const [line] = runsHuman(
    [{ ...KILLED, summary }, ...more.map((row) => ({ ...KILLED, ...row }))],
    undefined,
    NOT_SAID,
  ).split('\n');
  expect(line).toBe(
    `A  2026-11-20T09:30:00Z  https://a.example  1 created, 0 updated, 0 deleted, not finished${words}`,
  );
});

test('an undo names the run that it took back', () => {
  const summary = { created: 2, updated: 0, deleted: 0, failed: 0 };
  const undo = { ...KILLED, finished: true, undoes: 'A', shard: { index: 1, count: 2 }, summary };
  expect(runsHuman([undo], undefined, NOT_SAID)).toContain(
    'shard 1/2: undo of A: 2 created, 0 updated, 0 deleted\n',
  );
});

test.each([
  ['B applied the files since', {}],
  ['"websites apply --resume"', { service: 'https://b.example' }],
  ['"websites apply --resume"', { undoes: 'another' }],
  ['"websites apply --resume"', { summary: { created: 0, updated: 0, deleted: 0, failed: 1 } }],
])('an undo that was killed is said to be gone on with, or not: %s', (words, more) => {
  const undo = { ...KILLED, undoes: 'another' };
  const [line] = runsHuman([undo, { ...KILLED, run: 'B', ...more }], undefined, NOT_SAID).split('\n');
  expect(line).toContain(`not ended, of 3 changes (${words})`);
});
