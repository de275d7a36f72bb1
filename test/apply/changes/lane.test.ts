import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLane } from '../../../src/apply/changes/lane.ts';

test('work that goes alone meets nothing in flight, whatever comes in which order, and all of it is done', async () => {
  const works = fc.array(
    fc.record({ alone: fc.boolean(), at: fc.nat(3), ms: fc.nat(3), fails: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(works, async (given) => {
      const lane = createLane();
      const inFlight = new Set<number>();
      const met: number[] = [];
      const run = async ({ alone, at, ms, fails }: (typeof given)[number], index: number): Promise<void> => {
        await sleep(at);
        await lane[alone ? 'alone' : 'together'](async () => {
          if (alone) met.push(inFlight.size);
          inFlight.add(index);
          await sleep(ms);
          if (alone) met.push(inFlight.size - 1);
          inFlight.delete(index);
          if (fails) throw new Error('failed');
        });
      };
      const ends = await Promise.allSettled(given.map(run));
      expect(ends.map(({ status }) => status === 'rejected')).toEqual(given.map(({ fails }) => fails));
      expect(met.every((count) => count === 0)).toBe(true);
    }),
    { numRuns: 30 },
  );
});
