import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { createMetrics } from '../../src/reconcile/metrics.ts';
import { THREE } from '../render/situations.ts';
import { seriesOf } from './metrics-of.ts';

const FOUND = { create: 3, update: 2, delete: 1, unchanged: 10, orphan: 4, ignored: 0 };
const COUNTS = { created: 3, updated: 2, deleted: 1, unchanged: 0, failed: 0, not_attempted: 0 };
const PROVED = {
  summary: COUNTS,
  failures: [],
  not_attempted: [],
  converged: true,
  residual: [],
} as unknown as Result;

/** What `websites_drift` says of creates, updates and deletes, after a plan and what became of it. */
async function driftAfter(result: Result): Promise<unknown[]> {
  const metrics = createMetrics({ version: '1.2.3', now: () => 0 });
  metrics.tell({ type: 'planned', plan: { ...THREE, summary: FOUND } });
  metrics.tell({ type: 'run_ended', result });
  const series = seriesOf(await metrics.text());
  return ['create', 'update', 'delete'].map((action) => series.get(`websites_drift{action="${action}"}`));
}

test('what was applied and verified is no drift any more', async () => {
  expect(await driftAfter(PROVED)).toEqual([0, 0, 0]);
});

test('what failed, was not attempted or does not show is drift still, each record once', async () => {
  const unshown = { action: 'update', domain: 'b.example', message: 'is not shown' } as const;
  const left = {
    ...PROVED,
    failures: [{ action: 'create', domain: 'a.example', fate: 'failed', message: 'no', attempts: 1 }],
    not_attempted: [{ action: 'delete', domain: 'c.example' }],
    converged: false,
    residual: [
      { ...unshown, field: 'email' },
      { ...unshown, field: 'privacy' },
    ],
  } as unknown as Result;
  expect(await driftAfter(left)).toEqual([1, 1, 1]);
});

test('what could not be looked at is drift as the plan found it', async () => {
  expect(await driftAfter({ ...PROVED, converged: null })).toEqual([3, 2, 1]);
});
