import { expect, it } from 'vitest';
import { describeMe, isRunning } from '../../../src/run/lock/owner.ts';

it('may be at work where its process is there, and the system tells nothing of it', () => {
  // It stands for the group of this process, and is not in /proc.
  expect(isRunning({ ...describeMe(), pid: 0 })).toBeUndefined();
});
