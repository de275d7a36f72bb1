/**
 * A random walk over mixtures of dialect × faults × kills, through the real client and the apply engine, over
 * sockets. FAULT_WALK_RUNS is how many, FAULT_WALK_SEED which (docs/deployments.md).
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { scenarios } from '../support/walk/scenario.ts';
import { takeWalk, type Walked } from '../support/walk/walk.ts';

const RUNS = Number(process.env.FAULT_WALK_RUNS ?? 40);
const SEED = process.env.FAULT_WALK_SEED;
const PATH = process.env.FAULT_WALK_PATH;
/** Far more than one walk takes, on a busy machine too. */
const EACH_MS = 3000;

test(
  'the laws hold',
  async () => {
    const folder = await testFolder();
    const sum = { walks: 0, requests: 0, kills: 0, resumed: 0, refused: 0, changes: 0 };
    const add = (walked: Walked): void => {
      sum.walks += 1;
      for (const [name, count] of Object.entries(walked)) sum[name as keyof Walked] += count;
    };
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        if (process.env.DBG) console.error(JSON.stringify(scenario));
        add(await takeWalk(scenario, join(folder, String(sum.walks))));
      }),
      {
        numRuns: RUNS,
        ...(SEED === undefined ? {} : { seed: Number(SEED) }),
        ...(PATH === undefined ? {} : { path: PATH }),
        // Shrinking takes many walks.
        endOnFailure: process.env.FAULT_WALK_SHRINK === undefined,
      },
    );
    process.stdout.write(`fault walk: ${JSON.stringify(sum)}\n`);
    expect(sum.walks).toBe(RUNS);
    // They went through what they are for.
    expect(sum.changes).toBeGreaterThan(sum.walks);
    expect(sum.kills).toBeGreaterThan(sum.walks / 5);
  },
  30_000 + RUNS * EACH_MS,
);
