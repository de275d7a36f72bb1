import { rmSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { beforeEach, expect, it } from 'vitest';
import { NO_NEXT_FLAGS } from '../../src/model/next-command.ts';
import type { Seals } from '../../src/model/plan.ts';
import { factText } from '../../src/report/facts.ts';
import { nextRunId, openRunFile, runPath } from '../../src/run/file/write.ts';
import type { Connection } from '../../src/sync/connect.ts';
import { createSeals } from '../../src/sync/keys.ts';
import { waitForEarlierRuns } from '../../src/sync/previous-runs.ts';
import { runsFolder } from '../../src/sync/state.ts';
import { testFolder } from '../support/cli.ts';
import { planFor, wanted } from '../support/plans.ts';
import { SEALS } from '../support/seals.ts';

const plan = planFor({ desired: { websites: [wanted('a.example.com')] } });

let root: string;
beforeEach(async () => {
  root = await testFolder();
});

interface Ending {
  readonly requestTimeoutMs?: number;
  readonly seals?: Seals;
  /** The outcome in the last line of the journal, missing for a killed run. */
  readonly closed?: { readonly finished: boolean; readonly in_doubt?: number };
  readonly agoMs?: number;
}

/** Writes the journal of a run that ended during its first create. Returns its ID. */
async function leave({
  requestTimeoutMs = 30_000,
  seals = SEALS,
  closed,
  agoMs = 0,
}: Ending = {}): Promise<string> {
  const folder = runsFolder(root);
  const run = await nextRunId(folder, Date.now());
  const at = '2026-11-20T09:30:00Z';
  const journal = await openRunFile(folder, {
    run,
    at,
    plan,
    requestTimeoutMs,
    seals,
  });
  await journal.begin({ index: 0, change: plan.changes[0] as (typeof plan.changes)[0] }, at);
  const summary = { created: 0, updated: 0, deleted: 0, unchanged: 0, failed: 1, not_attempted: 0 };
  await journal.close(closed && { at, stopped: null, converged: true, summary, ...closed });
  const endedAt = (Date.now() - agoMs) / 1000;
  await utimes(runPath(folder, run), endedAt, endedAt);
  return run;
}

function connectionWith(own: Pick<Connection, 'seals' | 'requestTimeoutMs'>): Connection {
  const known = { identity: plan.service, runsFolder: runsFolder(root), nextFlags: NO_NEXT_FLAGS, factText };
  return { ...known, ...own } as Connection;
}

/** Returns the lines about waiting. Does not wait to the end. */
async function waiting(
  requestTimeoutMs = 30_000,
  signal: AbortSignal = AbortSignal.abort(),
  seals: Seals = SEALS,
): Promise<string> {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  await waitForEarlierRuns(connectionWith({ seals, requestTimeoutMs }), { note, signal });
  return lines.join('');
}

it('an apply waits for a killed run as long as its requests may be in flight', async () => {
  await leave({ requestTimeoutMs: 90_000 });
  expect(await waiting(1000)).toContain('Waiting 91 s');
  expect(await waiting(120_000)).toContain('Waiting 121 s');
});

it('the wait for a killed run counts from the last entry in its journal', async () => {
  await leave({ agoMs: 20_500 });
  expect(await waiting()).toContain('Waiting 11 s');
  await leave({ agoMs: 32_000 });
  expect(await waiting()).toContain('Waiting 11 s');
  root = await testFolder();
  await leave({ agoMs: 32_000 });
  expect(await waiting()).not.toContain('Waiting');
});

it('a clock that was set back does not make apply wait longer for a killed run', async () => {
  await leave({ agoMs: -86_400_000 });
  expect(await waiting()).toContain('Waiting 31 s');
});

it('apply stops waiting for a killed run if its journal is removed', async () => {
  const run = await leave();
  let told = '';
  const note = (line: string): void => {
    told += line;
    rmSync(runPath(runsFolder(root), run));
  };
  await waitForEarlierRuns(connectionWith({ seals: SEALS, requestTimeoutMs: 30_000 }), { note });
  expect(told).toBe(`Run ${run} was killed.\n`);
});

const forged = createSeals('another key', plan.service.base_url);

it('apply waits at most its own request timeout for a journal without a valid seal', async () => {
  await leave({ seals: forged, requestTimeoutMs: 9e15 });
  await leave({ seals: forged, requestTimeoutMs: 9e15, agoMs: 10_500 });
  expect(await waiting()).toMatch(/^Waiting 31 s/);
  expect(await waiting(5000)).toMatch(/^Waiting 6 s/);
  root = await testFolder();
  await leave({ seals: forged, requestTimeoutMs: 9e15, closed: { finished: false, in_doubt: 1 } });
  expect(await waiting(5000)).toMatch(/^Waiting 5 s/);
});

it('apply waits for a killed run at most as long as the longest possible request', async () => {
  await leave({ requestTimeoutMs: 9e15 });
  expect(await waiting()).toContain('Waiting 601 s');
});

it('an apply waits for a run that ended with a create of unknown outcome', async () => {
  await leave({ closed: { finished: true, in_doubt: 1 } });
  expect(await waiting()).toBe('Waiting 30 s for requests of an interrupted run to time out.\n');
  const startedAt = performance.now();
  root = await testFolder();
  await leave({ closed: { finished: true, in_doubt: 1 }, requestTimeoutMs: 60 });
  await waiting(1, new AbortController().signal);
  expect(performance.now() - startedAt).toBeGreaterThan(40);
});

it.each([{}, { in_doubt: 0 }])('apply does not wait for a run with known outcomes: %j', async (closed) => {
  await leave({ closed: { finished: false, ...closed } });
  expect(await waiting()).toBe('');
});

const old = { agoMs: 60_000 } as const;
const done = { ...old, closed: { finished: true } } as const;

it.each([true, false])('a killed run is reported only if it is the last (finished: %j)', async (finished) => {
  await leave(done);
  const killed = await leave(old);
  expect(await waiting()).toContain(`Run ${killed} was killed`);
  await leave({ ...old, closed: { finished } });
  expect(await waiting()).toBe('');
});

it('apply reports a killed run only if that run had the same API key', async () => {
  await leave({ ...old, seals: createSeals('another key', plan.service.base_url) });
  expect(await waiting()).toBe('');
});
