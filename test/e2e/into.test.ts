import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeWhole } from '../../src/cli/io/write.ts';
import { startCli, testFolder } from '../support/cli.ts';

test('import exits with 1 and writes nothing if the file changes during the command', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example]\n', 'list.txt': 'c.example\n' });
  const text = 'websites: [a.example, b.example]\n';
  let other: ReturnType<typeof startCli> | undefined;
  await writeWhole('websites.yaml', [text], cwd, async () => {
    other = startCli(['import', 'list.txt'], { cwd });
    await Promise.race([other.ended, delay(1500)]);
  });
  expect(await other?.ended).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('websites.yaml changed during the command. Nothing was written.'),
  });
  expect(await readFile(join(cwd, 'websites.yaml'), 'utf8')).toBe(text);
  expect(await readdir(cwd)).toEqual(['list.txt', 'websites.yaml']);
});
