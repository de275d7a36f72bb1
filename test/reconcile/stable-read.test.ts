import { expect, test } from 'vitest';
import { settled } from '../../src/reconcile/stable-read.ts';

test('what has changed is taken once it has stayed the same', async () => {
  const digests = ['a', 'a', 'a', 'half', 'b', 'b', 'b', 'b'];
  const pauses: number[] = [];
  const load = settled(
    async () => ({ digest: digests.shift() ?? '' }),
    async (milliseconds) => void pauses.push(milliseconds),
  );
  expect(await load()).toEqual({ digest: 'a' });
  expect(pauses).toEqual([1000]);
  expect(await load()).toEqual({ digest: 'a' });
  expect(pauses).toHaveLength(1);
  await expect(load()).rejects.toMatchObject({
    code: 'config-invalid',
    message: 'The files changed while they were read.',
  });
  expect(await load()).toEqual({ digest: 'b' });
  expect(await load()).toEqual({ digest: 'b' });
  expect(pauses).toHaveLength(3);
});
