import { expect, test } from 'vitest';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { PastRun } from '../../src/model/run-history.ts';
import { runsHuman } from '../../src/render/runs.ts';
import { KILLED_RUN } from '../support/past-runs.ts';

function closed(created: number, failed = 0): NonNullable<PastRun['closed']> {
  const summary = { created, updated: 0, deleted: 0, unchanged: 0, failed, not_attempted: 0 };
  return { converged: true, summary };
}

test.each([
  ['is resumed', [], '("websites apply --resume")'],
  ['went on', [{ run: 'B', continues: 'A' }], '(resumed by B)'],
  ['was taken back', [{ run: 'B', undoes: 'A' }], '(undone by B)'],
  ['was not taken back after all', [{ run: 'B', undoes: 'A', closed: closed(0, 1) }], '(followed by B)'],
  ['was followed', [{ run: 'B', closed: closed(0, 1) }], '(followed by B)'],
  [
    'was followed on another service',
    [{ run: 'B', service: { base_url: 'https://b.example' } }],
    '("websites apply --resume")',
  ],
])('a killed run that %s says so', (_, more, words) => {
  const [line] = runsHuman(
    [KILLED_RUN, ...more.map((row) => ({ ...KILLED_RUN, ...row }))],
    undefined,
    NOT_SAID,
  ).split('\n');
  expect(line).toBe(`A  2026-11-20T09:30:00Z  https://a.example  interrupted, 3 changes planned ${words}`);
});

test.each([
  ['is left', [], ''],
  ['went on', [{ run: 'B', continues: 'A' }], ' (resumed by B)'],
])('an interrupted run that %s says so', (_, more, words) => {
  const [line] = runsHuman(
    [{ ...KILLED_RUN, closed: closed(1) }, ...more.map((row) => ({ ...KILLED_RUN, ...row }))],
    undefined,
    NOT_SAID,
  ).split('\n');
  expect(line).toBe(
    `A  2026-11-20T09:30:00Z  https://a.example  1 created, 0 updated, 0 deleted, not finished${words}`,
  );
});

test('an undo names the run that it took back', () => {
  const undo = {
    ...KILLED_RUN,
    finished: true,
    undoes: 'A',
    shard: { index: 1, count: 2 },
    closed: closed(2),
  };
  expect(runsHuman([undo], undefined, NOT_SAID)).toContain(
    'shard 1/2: undo of A: 2 created, 0 updated, 0 deleted\n',
  );
});

test('what only a journal says is shown, never sent to the terminal or taken for a command', () => {
  const foreign = '\n::error::x\u001b[2J\u202e';
  const listed = runsHuman([{ ...KILLED_RUN, at: foreign, undoes: foreign }], undefined, NOT_SAID);
  expect(listed).toContain('A  \\n::error::x\\u001b[2J\\u202e  https://a.example  undo of \\n::error::x');
  expect(listed.split('\n')).toHaveLength(2);
});
