import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { doneBy } from '../../src/journal/completed-changes.ts';
import { readJournal } from '../../src/journal/reader.ts';
import { journalPath, newRunId, type Opening, openJournal } from '../../src/journal/writer.ts';
import { testFolder } from '../support/cli.ts';
import { NOW, planFor, shown, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

const plan = planFor({
  desired: {
    websites: [
      wanted('a.example.com'),
      wanted('b.example.com'),
      wanted('c.example.com', { email: true }),
      wanted('d.example.com', {}, 4, { state: 'absent' }),
    ],
  },
  current: { websites: [shown('c.example.com', 3, { email: false }), shown('d.example.com', 4)] },
});

let folder: string;
let runs: number;
beforeEach(async () => {
  folder = join(await testFolder(), 'runs');
  runs = 0;
});

type Past = Pick<Opening, 'continues' | 'settled' | 'doubtful'> & {
  readonly begun?: readonly number[];
  readonly done?: readonly (readonly [index: number, id: string])[];
};

/** Writes the journal of a run that was killed, later than those before; returns its id. */
async function past({ begun = [], done = [], ...opening }: Past): Promise<string> {
  const run = newRunId(NOW + runs++);
  const journal = await openJournal(folder, { run, at: 'then', plan, seals: SEALS, ...opening });
  const itemAt = (index: number) => {
    const change = plan.changes[index];
    if (change === undefined) throw new Error(`the plan has no change ${index}`);
    return { change, index };
  };
  const sent = [...begun, ...done.map(([index]) => index)];
  if (sent.length > 0) await journal.begin(sent.map(itemAt), 'then');
  for (const [index, id] of done) journal.end(index, itemAt(index).change, 'done', { id });
  await journal.close();
  return run;
}

const doneOf = async (run: string) =>
  (await doneBy(await readJournal(folder, run, TRUST), folder, TRUST)).map(({ change, id }) => [
    change.domain,
    id,
  ]);

describe('a run has done', () => {
  it('what it carried out, and nothing that it may have sent', async () => {
    expect(await doneOf(await past({ begun: [1], done: [[0, '8']] }))).toEqual([['a.example.com', '8']]);
  });

  it('what it found carried out of the run that it goes on with', async () => {
    const killed = await past({ begun: [0, 2, 3] });
    const settled = new Map([
      [0, '8'],
      [2, '3'],
      [3, undefined],
    ]);
    const resumed = await past({ continues: killed, settled, done: [[1, '9']] });
    expect(await doneOf(killed)).toEqual([]);
    expect(await doneOf(resumed)).toEqual([
      ['b.example.com', '9'],
      ['a.example.com', '8'],
      ['c.example.com', '3'],
      ['d.example.com', '4'],
    ]);
  });

  it('not what that run carried out, nor what it had never sent', async () => {
    const killed = await past({ done: [[0, '8']] });
    const settled = new Map([
      [0, '8'],
      [1, '9'],
    ]);
    expect(await doneOf(await past({ continues: killed, settled }))).toEqual([]);
  });

  it('not what a run in between did', async () => {
    const killed = await past({ begun: [0, 1] });
    const between = await past({ done: [[0, '8']] });
    const settled = new Map([
      [0, '8'],
      [1, '9'],
    ]);
    expect(await doneOf(await past({ continues: killed, settled }))).toEqual([['b.example.com', '9']]);
    expect(await doneOf(between)).toEqual([['a.example.com', '8']]);
  });

  it('what it found, whatever runs before and after did to the same records', async () => {
    await past({ done: [[2, '3']] });
    const killed = await past({ begun: [2] });
    const resumed = await past({ continues: killed, settled: new Map([[2, '3']]) });
    await past({ done: [[2, '3']] });
    expect(await doneOf(resumed)).toEqual([['c.example.com', '3']]);
  });

  it('what it found, and not what the run before it had found, when runs are killed one after the other', async () => {
    const first = await past({ begun: [0, 1] });
    const second = await past({
      continues: first,
      settled: new Map([[0, '8']]),
      doubtful: new Set([1]),
    });
    const settled = new Map([
      [0, '8'],
      [1, '9'],
    ]);
    const third = await past({ continues: second, settled });
    expect(await doneOf(second)).toEqual([['a.example.com', '8']]);
    expect(await doneOf(third)).toEqual([['b.example.com', '9']]);
  });

  it('only what it carried out itself, where the journal of the run before is not kept any more', async () => {
    const killed = await past({ begun: [0] });
    const resumed = await past({ continues: killed, settled: new Map([[0, '8']]), done: [[1, '9']] });
    await rm(journalPath(folder, killed));
    expect(await doneOf(resumed)).toEqual([['b.example.com', '9']]);
  });
});
