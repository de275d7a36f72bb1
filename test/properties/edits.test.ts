/**
 * Random walks with edits by others between two commands, with faults and kills, through the built program.
 * EDIT_WALK_RUNS sets their number, EDIT_WALK_SEED the seed.
 */
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import {
  type EditedWalk,
  editedWalks,
  takeSavedPlan,
  takeUndo,
  type Walked,
} from '../support/walk/edited-walk.ts';

const { EDIT_WALK_RUNS: runs = '24', EDIT_WALK_SEED: seed = '1' } = process.env;
const LANES = 4;
const EACH = Math.ceil(Number(runs) / LANES);
const timeout = 60_000 + EACH * 4000;

/** Runs random walks. Prints each breach with the walk that found it. */
async function walkOn(take: (walk: EditedWalk, folder: string) => Promise<Walked>) {
  const folder = await testFolder();
  const sum = { walks: 0, edits: 0, kills: 0, done: 0, short: 0, stale: 0, breaches: [] as string[] };
  let begun = 0;
  const property = fc.asyncProperty(editedWalks, async (walk) => {
    begun += 1;
    const { breaches, ...counts } = await take(walk, join(folder, String(begun)));
    sum.walks += 1;
    for (const name of ['edits', 'kills', 'done', 'short', 'stale'] as const) sum[name] += counts[name];
    if (breaches.length > 0) process.stdout.write(`${JSON.stringify({ breaches, walk })}\n`);
    sum.breaches.push(...breaches);
  });
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    fc.assert(property, { seed: Number(seed) + lane, numRuns: EACH }),
  );
  await Promise.all(lanes);
  process.stdout.write(`${JSON.stringify({ seed: Number(seed), ...sum, breaches: sum.breaches.length })}\n`);
  expect(sum.breaches).toEqual([]);
  return sum;
}

test('an edit between a plan and its apply is never overwritten or deleted', { timeout }, async () => {
  const { done, stale, kills } = await walkOn(takeSavedPlan);
  expect(Math.min(done, stale, kills)).toBeGreaterThan(0);
});

test('undo restores each record, or names it and ends with exit code 4', { timeout }, async () => {
  const { done, short, kills } = await walkOn(takeUndo);
  expect(Math.min(done, short, kills)).toBeGreaterThan(0);
});
