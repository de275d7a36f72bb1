import { expect, test } from 'vitest';
import { nextRunId, openJournal } from '../../src/journal/writer.ts';
import type { Change } from '../../src/model/change.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { Shard } from '../../src/model/shard.ts';
import { planDigest } from '../../src/planner/plan-file/write.ts';
import type { Connection } from '../../src/sync/connect.ts';
import { settleOwed } from '../../src/sync/owed.ts';
import { createSeals } from '../../src/sync/seals.ts';
import { runsFolder } from '../../src/sync/state.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { testFolder } from '../support/cli.ts';
import { planFor, shown, wanted } from '../support/plans.ts';
import { SEALS } from '../support/seals.ts';

const PLAN = planFor({
  desired: { websites: [wanted('a.example', { email: true })] },
  current: { websites: [shown('a.example', 1, { email: false })] },
});
const HALVES: readonly [Shard, Shard] = [
  { index: 0, count: 2 },
  { index: 1, count: 2 },
];

/** The journal of a killed run of part of a plan, which owes a restore; returns its id. */
async function leaveOwing(root: string, shard: Shard | undefined, of: string): Promise<string> {
  const folder = runsFolder(root);
  const run = await nextRunId(folder, Date.now());
  const options = { ...PLAN.options, ...(shard && { shard }) };
  const part = { ...PLAN, options, part: { of, ...(shard ? {} : { creates: [] }) } };
  const plan = { ...part, digest: planDigest(part, sha256) };
  const journal = await openJournal(folder, { run, at: '2026-11-20T09:30:00Z', plan, seals: SEALS });
  await journal.owe({ index: 0, change: PLAN.changes[0] as Change }, '1', { email: false }, ['exclude_ips']);
  await journal.close();
  return run;
}

/** The runs of which whoever has another key is told. */
async function told(root: string, shard?: Shard): Promise<readonly string[]> {
  const seals = createSeals('another key', PLAN.service.base_url);
  const connection = { identity: PLAN.service.base_url, seals, where: NOT_SAID } as Connection;
  const lines: string[] = [];
  const tell = (line: string) => void lines.push(/runs (\S+) --settled/.exec(line)?.[1] ?? line);
  await settleOwed(root, connection, { shard, isIgnored: () => false, onlyLooks: false, tell });
  return lines;
}

test('what the newest run of each shard owes is settled, and not what an earlier run of it does', async () => {
  const root = await testFolder();
  await leaveOwing(root, HALVES[0], 'cafe');
  const first = await leaveOwing(root, HALVES[0], 'babe');
  const second = await leaveOwing(root, HALVES[1], 'babe');
  expect(await told(root, HALVES[0])).toEqual([first]);
  expect(await told(root)).toEqual([first, second]);
  // The deletes of the same plan are of other records.
  const deletes = await leaveOwing(root, undefined, 'babe');
  expect(await told(root)).toEqual([first, second, deletes]);
  expect(await told(root, HALVES[1])).toEqual([second, deletes]);
  const again = await leaveOwing(root, HALVES[1], 'babe');
  expect(await told(root, HALVES[1])).toEqual([deletes, again]);
});
