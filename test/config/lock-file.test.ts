import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCK_FILE, readLockFile } from '../../src/config/lock-file.ts';
import { testFolder } from '../support/cli.ts';

test('a file that is not there knows nothing, and an empty one has no entries', async () => {
  expect(await readLockFile(await testFolder())).toBeUndefined();
  expect(await readLockFile(await testFolder({ [LOCK_FILE]: '\n' }))).toEqual({});
});

test('a file that cannot be read, or is none of ours, is not taken for one that is not there', async () => {
  const folder = await testFolder();
  await mkdir(join(folder, LOCK_FILE));
  await expect(readLockFile(folder)).rejects.toMatchObject({ code: 'file-failed' });
  const foreign = await testFolder({ [LOCK_FILE]: '{"passwords":{}}' });
  await expect(readLockFile(foreign)).rejects.toMatchObject({ code: 'file-failed' });
});
