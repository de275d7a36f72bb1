import { expect, test } from 'vitest';
import { nextRunId, openJournal } from '../../src/journal/writer.ts';
import type { Change } from '../../src/model/change.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { Connection } from '../../src/sync/connect.ts';
import { settleOwed } from '../../src/sync/owed.ts';
import { createSeals } from '../../src/sync/seals.ts';
import { runsFolder } from '../../src/sync/state.ts';
import { testFolder } from '../support/cli.ts';
import { planFor, shown, wanted } from '../support/plans.ts';
import { SEALS } from '../support/seals.ts';

const PLAN = planFor({
  desired: { websites: [wanted('a.example', { email: true })] },
  current: { websites: [shown('a.example', 1, { email: false })] },
});
/** The journal of a killed run, which owes a restore; returns its id. */
async function leaveOwing(root: string): Promise<string> {
  const folder = runsFolder(root);
  const run = await nextRunId(folder, Date.now());
  const journal = await openJournal(folder, { run, at: '2026-11-20T09:30:00Z', plan: PLAN, seals: SEALS });
  await journal.owe({ index: 0, change: PLAN.changes[0] as Change }, '1', { email: false }, ['exclude_ips']);
  await journal.close();
  return run;
}

test('what the newest run owes is settled, and not what an earlier run does', async () => {
  const root = await testFolder();
  // Another key: what is owed is only reported.
  const seals = createSeals('another key', PLAN.service.base_url);
  const connection = { identity: PLAN.service.base_url, seals, where: NOT_SAID } as Connection;
  const lines: string[] = [];
  const tell = (line: string) => void lines.push(/runs (\S+) --settled/.exec(line)?.[1] ?? line);
  await leaveOwing(root);
  const newest = await leaveOwing(root);
  await settleOwed(root, connection, { isIgnored: () => false, onlyLooks: false, tell });
  expect(lines).toEqual([newest]);
});
