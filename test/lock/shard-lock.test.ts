import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeMe } from '../../src/lock/owner.ts';
import { takeShardLock } from '../../src/lock/shard-lock.ts';
import type { Shard } from '../../src/model/shard.ts';
import { testFolder } from '../support/cli.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await testFolder(), 'locks');
});

const shard = (index: number, count: number): Shard => ({ index, count });
const take = (part: Shard | undefined, name = 'service') => takeShardLock(folder, name, part);

/** The lock of a process that is not there any more. */
async function leave(file: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), JSON.stringify({ ...describeMe(), start: '1' }));
}

describe('while one run has its lock', () => {
  it.each<[string, Shard | undefined, Shard | undefined]>([
    ['the same shard', shard(2, 8), shard(2, 8)],
    ['a shard of another count', shard(2, 8), shard(3, 16)],
    ['a shard and all', shard(2, 8), undefined],
    ['all and a shard', undefined, shard(2, 8)],
    ['all and all', undefined, undefined],
  ])('%s exclude each other', async (_, first, second) => {
    const lock = await take(first);
    await expect(take(second)).rejects.toMatchObject({ code: 'lock-held' });
    // Whoever was refused leaves nothing behind that would be in the way of the others.
    await lock.assertHeld();
    expect(await readdir(folder)).toHaveLength(1);
    await lock.release();
    await (await take(second)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('shards of one count run side by side, and so do other services', async () => {
    const locks = [await take(undefined, 'another'), await take(shard(1, 3), 'service2')];
    for (let index = 0; index < 8; index += 1) locks.push(await take(shard(index, 8)));
    for (const lock of locks) await lock.assertHeld();
    for (const lock of locks) await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });
});

it('a run that was killed is in nobody’s way, and could not go on', async () => {
  await leave('service.lock');
  await leave('service.0-of-4.lock');
  const locks = await Promise.all(Array.from({ length: 8 }, (_, index) => take(shard(index, 8))));
  expect((await readdir(folder)).sort()).toEqual(
    Array.from({ length: 8 }, (_, index) => `service.${index}-of-8.lock`),
  );
  for (const lock of locks) await lock.release();
});

it('a lock that cannot be read is named, and nobody runs beside it', async () => {
  const other = 'service.0-of-4.lock';
  await mkdir(join(folder, other), { recursive: true });
  await expect(take(undefined)).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining(other),
  });
  expect(await readdir(folder)).toEqual([other]);
});
