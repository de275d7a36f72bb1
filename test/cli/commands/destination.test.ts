import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putFile, readDestination } from '../../../src/cli/commands/destination.ts';
import type { Io } from '../../../src/cli/io/io.ts';
import { testFolder } from '../../support/cli.ts';

test('a file that was created during the command is not overwritten', async () => {
  const cwd = await testFolder();
  await writeFile(join(cwd, 'a.yaml'), 'websites: [b.example]\n');
  await expect(putFile('a.yaml', undefined, ['- a.example\n'], {}, { cwd } as Io)).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml changed during the command. Nothing was written.',
  });
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe('websites: [b.example]\n');
});

test('an existing file that cannot be read does not count as missing', async () => {
  const cwd = await testFolder({});
  await mkdir(join(cwd, 'a.yaml'));
  await expect(readDestination('a.yaml', { cwd } as Io)).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml cannot be read: it is a directory.',
  });
});
