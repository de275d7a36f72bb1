import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDestination, readDestination } from '../../../src/cli/commands/destination.ts';
import type { Io } from '../../../src/cli/io/io.ts';
import { testFolder } from '../../support/cli.ts';

const NEW = 'websites:\n';

test.each<[string, Record<string, string>, string]>([
  ['was edited', { 'a.yaml': 'websites: []\n' }, 'websites: [b.example]\n'],
  ['was made', {}, 'websites: [b.example]\n'],
])('a file that %s meanwhile is not written over', async (_, files, text) => {
  const cwd = await testFolder(files);
  const io = { cwd } as Io;
  const destination = await openDestination('a.yaml', (await readDestination('a.yaml', io)) ?? NEW, io);
  await writeFile(join(cwd, 'a.yaml'), text);
  await expect(destination.add(['- a.example\n'])).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml changed during the command. Nothing was written.',
  });
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe(text);
});

test('a file that is there and cannot be read is not taken for one that is yet to be made', async () => {
  const cwd = await testFolder({});
  await mkdir(join(cwd, 'a.yaml'));
  await expect(readDestination('a.yaml', { cwd } as Io)).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml cannot be read: it is a directory.',
  });
});
