import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

test('a report is written where nothing has drifted too, and nobody is told', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    // Of the night before.
    'drift.json': '{"create":1,"update":0,"delete":0}\n',
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  const drift = await runInProcess(['drift', '--report', 'gitlab=drift.json'], folder, env);
  expect(drift).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readFile(join(folder, 'drift.json'), 'utf8')).toBe('{"create":0,"update":0,"delete":0}\n');
  await expect(readFile(env.GITHUB_STEP_SUMMARY)).rejects.toThrow('ENOENT');
});
