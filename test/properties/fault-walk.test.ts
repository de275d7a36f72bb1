/**
 * Random walks over dialects, faults and kills, through the client and engine, over sockets. FAULT_WALK_RUNS sets their
 * number, FAULT_WALK_SEED the seed.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { scenarios } from '../support/walk/scenario.ts';
import { takeWalk, type Walked } from '../support/walk/walk.ts';

const {
  FAULT_WALK_RUNS: runs = '20',
  FAULT_WALK_SEED: seed = process.env.CI ? '900000' : String(Math.floor(Math.random() * 2 ** 31)),
  FAULT_WALK_PATH: path,
  FAULT_WALK_SHRINK: shrink,
} = process.env;

/** Several walks run at once, because a walk mostly waits. Each lane has its own seed. */
const LANES = path === undefined ? 4 : 1;
const EACH = path === undefined ? Math.ceil(Number(runs) / LANES) : 1;
const EACH_MS = 3000;

/** Runs random walks, each in its own folder. */
async function walkOn(): Promise<Readonly<Record<keyof Walked | 'walks', number>>> {
  const folder = await testFolder();
  const sum: Record<string, number> = { walks: 0 };
  let begun = 0;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    begun += 1;
    const walked = await takeWalk(scenario, join(folder, String(begun)));
    for (const [name, count] of Object.entries({ ...walked, walks: 1 })) sum[name] = (sum[name] ?? 0) + count;
  });
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.assert(property, {
      seed: Number(seed) + lane,
      numRuns: EACH,
      // Shrinking takes many more walks, so it is off by default.
      endOnFailure: shrink === undefined,
      ...(path === undefined ? {} : { path }),
    }),
  );
  await Promise.all(lanes);
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...sum })}\n`);
  expect(sum.walks).toBe(LANES * EACH);
  return sum as Record<keyof Walked | 'walks', number>;
}

const TIME = 30_000 + EACH * EACH_MS;

test(
  'apply breaks no invariant in random runs with faults and kills',
  async () => {
    const { walks, kills, creates, updates, deletes } = await walkOn();
    if (path !== undefined) return;
    expect(Math.min(creates, updates, deletes)).toBeGreaterThan(walks / 4);
    expect(kills).toBeGreaterThan(walks / 5);
  },
  TIME,
);
