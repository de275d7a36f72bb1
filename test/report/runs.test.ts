import { expect, test } from 'vitest';
import type { PastRun } from '../../src/model/run.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import { runsDocument } from '../../src/report/runs.ts';
import { KILLED_RUN } from '../support/past-runs.ts';

const NOW = Date.parse('2026-11-20T12:59:00Z');
const runsHuman = (runs: readonly PastRun[]): string =>
  terminalText(runsDocument(runs, 'folder', NOW), { color: false, width: 120 });

function closed(created: number, failed = 0): NonNullable<PastRun['closed']> {
  const summary = { created, updated: 0, deleted: 0, unchanged: 0, failed, not_attempted: 2 };
  return { converged: true, summary, stopped: null, finished: false };
}

test.each([
  ['is the last', [], ''],
  ['was undone', [{ run: 'B', undoes: 'A' }], '(run undone by B)'],
  ['has an undo that changed nothing', [{ run: 'B', undoes: 'A', closed: closed(0, 1) }], ''],
])('the list of runs shows a killed run that %s', (_, more, words) => {
  const [, line = ''] = runsHuman([KILLED_RUN, ...more.map((row) => ({ ...KILLED_RUN, ...row }))]).split(
    '\n',
  );
  expect(line.split(/ {2,}/)).toEqual([
    'A',
    '3 h',
    'https://a.example',
    'interrupted',
    `up to 3 changes ${words}`.trim(),
    '-',
  ]);
});

test('the list of runs escapes text from a journal', () => {
  const foreign = '\n::error::x\u001b[2J\u202e';
  const listed = runsHuman([{ ...KILLED_RUN, at: foreign, undoes: foreign }]);
  expect(listed).toContain('A    \\n::error::x\\u001b[2J\\u202e  https://a.example  undo of \\n::error::x');
  expect(listed.split('\n')).toHaveLength(3);
});
