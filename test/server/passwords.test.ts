import { expect, test } from 'vitest';
import { hashPassword } from '../../src/server/passwords.ts';

test('what waits for its turn can be called off, and leaves the turn to the next', async () => {
  let isWanted = true;
  const all = Array.from({ length: 20 }, () => hashPassword('x', () => isWanted));
  await Promise.race(all);
  isWanted = false;
  const settled = await Promise.allSettled(all);
  // Four at a time, and as many again whose turn may have come with the end of those.
  expect(settled.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(8);
  expect(await hashPassword('x', () => true)).toMatch(/^scrypt\$/);
});
