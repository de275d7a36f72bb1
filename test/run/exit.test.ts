import { expect, test } from 'vitest';
import { type Applied, exitOfApplied } from '../../src/run/result.ts';

/** The outcome of a complete run, changed by `result`. */
function carried(result: object): Applied {
  const done = {
    ...{ summary: { failed: 0, not_attempted: 0 }, converged: true, interrupted: false, run: 'a run' },
    ...{ not_attempted: [], failures: [] },
    ...result,
  } as unknown as Applied['result'];
  return { result: done, done: [] };
}

const STALE = { not_attempted: [{ action: 'delete', domain: 'a.example', id: '1', stale: true }] };

const REFUSED = { failures: [{ code: 'key-refused' }] };

const summary = (failed: number, not_attempted: number): object => ({
  summary: { created: 1, updated: 0, deleted: 0, unchanged: 0, failed, not_attempted },
});

test.each<[string, number, Applied]>([
  ['that did all of it', 0, carried({})],
  ['of a plan without changes', 0, carried({ run: null })],
  ['with a failure', 4, carried(summary(1, 0))],
  ['that did not attempt all changes', 4, carried(summary(0, 1))],
  ['that did not converge', 4, carried({ converged: false })],
  ['without a verification', 4, carried({ converged: null })],
  [
    'that sent nothing, because all was stale',
    6,
    carried({ ...summary(0, 2), ...STALE, run: null, converged: null }),
  ],
  ['that skipped stale changes', 6, carried({ ...summary(0, 1), ...STALE })],
  ['that skipped more than stale changes', 4, carried({ ...summary(0, 2), ...STALE })],
  [
    'that skipped stale changes, without a verification',
    4,
    carried({ ...summary(0, 1), ...STALE, converged: null }),
  ],
  ['with a failure for a rejected key', 3, carried({ ...summary(1, 1), ...REFUSED })],
  ['that was interrupted', 130, carried({ ...summary(1, 1), ...REFUSED, interrupted: true })],
  [
    'that was interrupted before its first change',
    130,
    carried({ ...summary(0, 1), run: null, interrupted: true }),
  ],
])('a run %s ends with exit code %i', (_what, exit, run) => {
  expect(exitOfApplied(run)).toBe(exit);
});
