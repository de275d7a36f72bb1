import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RunRecorder } from '../../src/apply/run-recorder.ts';
import { writeAhead } from '../../src/apply/write-ahead.ts';
import type { IndexedChange } from '../../src/journal/writer.ts';
import { times } from '../support/plans.ts';

const items = times(20, (index) => ({ index }) as IndexedChange);

/** A recorder on a disk that takes a moment for each write, and that takes none from `failsAt` on. */
function tallyOf(failsAt = items.length) {
  const halt = new AbortController();
  const [begun, ended]: [number[], number[]] = [[], []];
  const recorder: Pick<RunRecorder, 'begin' | 'end' | 'halt'> = {
    halt: halt.signal,
    async begin(some) {
      await setTimeout(5);
      if (some.some(({ index }) => index >= failsAt)) {
        halt.abort();
        return false;
      }
      begun.push(...some.map(({ index }) => index));
      return true;
    },
    end: ({ index }) => void ended.push(index),
  };
  return { recorder: recorder as RunRecorder, halt, begun, ended };
}

describe('writing ahead', () => {
  it('lets nothing be sent before it is written, and has each written once', async () => {
    const { recorder, begun } = tallyOf();
    const ahead = writeAhead(items, 2, recorder);
    for (const item of items) {
      expect(await ahead.turn(item)).toBe(true);
      expect(begun).toContain(item.index);
    }
    await ahead.end();
    expect(begun).toEqual(items.map(({ index }) => index));
  });

  it('takes back what had no turn, once that is written', async () => {
    const { recorder, halt, begun, ended } = tallyOf();
    const ahead = writeAhead(items, 2, recorder);
    for (const item of items.slice(0, 3)) expect(await ahead.turn(item)).toBe(true);
    halt.abort();
    await ahead.end();
    expect(ended).toEqual(begun.slice(3));
    expect(ended.length).toBeGreaterThan(1);
  });

  it('lets nothing be sent that could not be written', async () => {
    const { recorder, begun } = tallyOf(7);
    const ahead = writeAhead(items, 2, recorder);
    const sent: number[] = [];
    for (const item of items) if (await ahead.turn(item)) sent.push(item.index);
    await ahead.end();
    expect(sent.every((index) => begun.includes(index))).toBe(true);
    expect(sent.length).toBeGreaterThan(0);
  });
});
