/**
 * Random walks of the update rule, through the built program and sockets. UPDATE_WALK_RUNS sets their number,
 * UPDATE_WALK_SEED the seed, UPDATE_WALK_KILLS=N that one in N is killed, in its own process.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import {
  scenariosAlone,
  scenariosWithColleague,
  type UpdateScenario,
} from '../support/walk/update-scenario.ts';
import { takeUpdateWalk, type UpdateWalk } from '../support/walk/update-walk.ts';

const {
  UPDATE_WALK_RUNS: runs = '8',
  UPDATE_WALK_SEED: seed = '11',
  UPDATE_WALK_KILLS: kills = '4',
} = process.env;

/** Number of walks at once. Each lane has its own seed. */
const LANES = 8;
const EACH = Math.ceil(Number(runs) / LANES);
const TIME = 60_000 + EACH * 4000;

type Counts = Record<Exclude<keyof UpdateWalk, 'breaches' | 'writes'> | 'walks', number>;

/** Runs random walks. Prints each breach with the walk that found it. */
async function walkOn(
  scenarios: fc.Arbitrary<UpdateScenario>,
): Promise<Counts & { readonly breaches: readonly string[] }> {
  const folder = await testFolder();
  const sum: Record<string, number> = { walks: 0 };
  const breaches: string[] = [];
  let begun = 0;
  const take = async (scenario: UpdateScenario): Promise<void> => {
    begun += 1;
    const {
      breaches: found,
      writes,
      ...walked
    } = await takeUpdateWalk(scenario, join(folder, String(begun)));
    for (const [name, count] of Object.entries({ ...walked, walks: 1 })) sum[name] = (sum[name] ?? 0) + count;
    if (found.length > 0) process.stdout.write(`${JSON.stringify({ found, scenario, writes })}\n`);
    breaches.push(...found);
  };
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.assert(fc.asyncProperty(scenarios, take), { seed: Number(seed) + lane, numRuns: EACH }),
  );
  await Promise.all(lanes);
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...sum, ...byKind(breaches) })}\n`);
  expect(sum.walks).toBe(LANES * EACH);
  return { ...(sum as Counts), breaches };
}

function byKind(breaches: readonly string[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const breach of breaches) {
    const kind = breach.split(' ')[0] ?? '';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

test('an update without other writers loses no value, opens no website and reports no edit', {
  timeout: TIME,
}, async () => {
  const { breaches, puts, kills: killed } = await walkOn(scenariosAlone(Number(kills)));
  expect(breaches).toEqual([]);
  expect(Math.min(puts, killed)).toBeGreaterThan(0);
});

test('an update loses no edit of a colleague that was read before it', { timeout: TIME }, async () => {
  const { breaches, edits } = await walkOn(scenariosWithColleague(Number(kills)));
  expect(breaches).toEqual([]);
  expect(edits).toBeGreaterThan(0);
});
