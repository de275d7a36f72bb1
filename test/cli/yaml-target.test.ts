import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { openTarget, readTarget } from '../../src/cli/yaml-target.ts';
import { testFolder } from '../support/cli.ts';

const NEW = 'websites:\n';

test.each<[string, Record<string, string>, string]>([
  ['was edited', { 'a.yaml': 'websites: []\n' }, 'websites: [b.example]\n'],
  ['was made', {}, 'websites: [b.example]\n'],
])('a file that %s meanwhile is not written over', async (_, files, text) => {
  const cwd = await testFolder(files);
  const io = { cwd } as Io;
  const target = await openTarget('a.yaml', (await readTarget('a.yaml', io)) ?? NEW, io);
  await writeFile(join(cwd, 'a.yaml'), text);
  await expect(target.add(['- a.example\n'])).rejects.toMatchObject({
    code: 'file-failed',
    message: 'a.yaml was changed meanwhile; nothing was written.',
  });
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe(text);
});
