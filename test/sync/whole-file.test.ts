import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../src/sync/whole-file.ts';
import { testFolder } from '../support/cli.ts';

test.each(['no/such/x.json', 'folder'])(
  'only what was named is named where it cannot be written (%s)',
  async (file) => {
    const cwd = await testFolder();
    await mkdir(join(cwd, 'folder'));
    await expect(writeWhole(file, ['text'], cwd)).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringMatching(`^${file} cannot be written: E[A-Z]+: [a-z ]+\\.$`),
    });
  },
);
