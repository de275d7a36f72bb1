import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { putFile, readDestination } from '../../../src/cli/commands/destination.ts';
import type { Io } from '../../../src/cli/io/io.ts';
import { testFolder } from '../../support/cli.ts';

test('a file that appears while a command runs is an error, and is not overwritten', async () => {
  const cwd = await testFolder();
  await writeFile(join(cwd, 'a.yaml'), 'websites: [b.example]\n');
  await expect(putFile('a.yaml', undefined, ['- a.example\n'], {}, { cwd } as Io)).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml changed during the command. Nothing was written.',
  });
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe('websites: [b.example]\n');
});

test('a directory at the path of an output file is an error that names the directory', async () => {
  const cwd = await testFolder({});
  await mkdir(join(cwd, 'a.yaml'));
  await expect(readDestination('a.yaml', { cwd } as Io)).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml cannot be read: it is a directory.',
  });
});
