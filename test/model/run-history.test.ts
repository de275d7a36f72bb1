import { expect, test } from 'vitest';
import { type PastRun, sequelsOf } from '../../src/model/run-history.ts';
import { KILLED_RUN } from '../support/past-runs.ts';

const NOTHING_DONE = {
  converged: null,
  stopped: null,
  summary: { created: 0, updated: 0, deleted: 0, unchanged: 0, failed: 1, not_attempted: 1 },
};

test.each<[string, Partial<PastRun>[], object]>([
  ['alone', [{}], {}],
  ['taken back', [{}, { run: '2', undoes: '1' }], { 1: { run: '2', how: 'undone' } }],
  [
    'taken back in vain',
    [{}, { run: '2', undoes: '1', closed: NOTHING_DONE }],
    { 1: { run: '2', how: 'later' } },
  ],
  [
    'of files, and others later',
    [{}, { run: '2' }, { run: '3' }],
    { 1: { run: '2', how: 'later' }, 2: { run: '3', how: 'later' } },
  ],
  ['later, of another service', [{}, { run: '2', service: { base_url: 'b' } }], {}],
  ['later, and changed nothing', [{}, { run: '2', closed: NOTHING_DONE }], { 1: { run: '2', how: 'later' } }],
])('what came after a run: %s', (_, runs, sequels) => {
  expect(Object.fromEntries(sequelsOf(runs.map((run) => ({ ...KILLED_RUN, run: '1', ...run }))))).toEqual(
    sequels,
  );
});
