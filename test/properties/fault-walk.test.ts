/**
 * A random walk over mixtures of dialect × faults × kills, through the real client and the apply engine, over
 * sockets. FAULT_WALK_RUNS says how many, FAULT_WALK_SEED which (docs/deployments.md).
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { scenarios } from '../support/walk/scenario.ts';
import { takeWalk, type Walked } from '../support/walk/walk.ts';

const {
  FAULT_WALK_RUNS: runs = '60',
  FAULT_WALK_SEED: seed = process.env.CI ? '900000' : String(Math.floor(Math.random() * 2 ** 31)),
  FAULT_WALK_PATH: path,
  FAULT_WALK_SHRINK: shrink,
} = process.env;

/** A walk mostly waits, so that several go on at once; each lane has a seed of its own. */
const LANES = path === undefined ? 4 : 1;
const EACH = path === undefined ? Math.ceil(Number(runs) / LANES) : 1;
/** Far more than one walk takes, on a busy machine too. */
const EACH_MS = 3000;

test(
  'the laws hold',
  async () => {
    const folder = await testFolder();
    const sum = { walks: 0, requests: 0, kills: 0, resumed: 0, refused: 0, changes: 0 };
    let begun = 0;
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      begun += 1;
      const walked = await takeWalk(scenario, join(folder, String(begun)));
      sum.walks += 1;
      for (const [name, count] of Object.entries(walked)) sum[name as keyof Walked] += count;
    });
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      fc.assert(property, {
        seed: Number(seed) + lane,
        numRuns: EACH,
        // Shrinking takes many walks more.
        endOnFailure: shrink === undefined,
        ...(path === undefined ? {} : { path }),
      }),
    );
    await Promise.all(lanes);
    process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...sum })}\n`);
    expect(sum.walks).toBe(LANES * EACH);
    if (path !== undefined) return;
    // They went through what they are for.
    expect(sum.changes).toBeGreaterThan(sum.walks);
    expect(sum.kills).toBeGreaterThan(sum.walks / 5);
  },
  30_000 + EACH * EACH_MS,
);
