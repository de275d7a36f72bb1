import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/util/node/system-clock.ts';

const MONTH = 31 * 86_400_000;

test.each([2 ** 31, MONTH, 20 * MONTH])('the clock sleeps %i ms, or until it is aborted', async (length) => {
  const end = new AbortController();
  let isAwake = false;
  const asleep = systemClock.sleep(length, end.signal).then(() => {
    isAwake = true;
  });
  await systemClock.sleep(100);
  expect(isAwake).toBe(false);
  end.abort();
  await asleep;
});

test.each([0, -1])('the clock sleeps for %i ms without a warning or blocking', async (length) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  let isOver = false;
  setImmediate(() => {
    isOver = true;
  });
  while (!isOver) await systemClock.sleep(length);
  expect(warnings).toEqual([]);
});
