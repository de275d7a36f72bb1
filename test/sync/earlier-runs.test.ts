import { utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { journalPath, newRunId, openJournal } from '../../src/apply/journal/journal.ts';
import type { Connection } from '../../src/sync/connect.ts';
import { outwaitEarlierRuns } from '../../src/sync/earlier-runs.ts';
import { runsFolder } from '../../src/sync/state.ts';
import { testFolder } from '../support/cli.ts';
import { planFor, wanted } from '../support/plans.ts';

const plan = planFor({ desired: { websites: [wanted('a.example.com')] } });

let root: string;
beforeEach(async () => {
  root = await testFolder();
});

/** The journal of a run that was killed at its first create. */
async function kill(requestTimeoutMs: number): Promise<string> {
  const run = newRunId(Date.now());
  const at = '2026-11-20T09:30:00Z';
  const journal = await openJournal(runsFolder(root), { run, at, plan, requestTimeoutMs });
  await journal.begin([{ index: 0, change: plan.changes[0] as (typeof plan.changes)[0] }], at);
  await journal.close();
  return journalPath(runsFolder(root), run);
}

/** What is told of the waiting, which is cut short. */
async function waiting(requestTimeoutMs: number): Promise<string> {
  const { base_url, key_fingerprint } = plan.service;
  const connection = { identity: base_url, keyFingerprint: key_fingerprint, requestTimeoutMs };
  const lines: string[] = [];
  const tell = (line: string) => void lines.push(line);
  await outwaitEarlierRuns(root, connection as Connection, tell, undefined, AbortSignal.abort());
  return lines.join('');
}

describe('a run that was killed is waited for', () => {
  it('for as long as its own requests, or those of the run that waits, may be at work', async () => {
    await kill(90_000);
    expect(await waiting(1000)).toContain('Waiting 91 s');
    expect(await waiting(120_000)).toContain('Waiting 121 s');
  });

  it('no longer than that where a clock was put back', async () => {
    const path = await kill(30_000);
    const tomorrow = Date.now() / 1000 + 86_400;
    await utimes(path, tomorrow, tomorrow);
    expect(await waiting(30_000)).toContain('Waiting 31 s');
  });
});
