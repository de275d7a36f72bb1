import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const FILE = 'service: { base_url: local }\nwebsites: [a.example]\n';

test('a plan that is saved is told of, with what carries it out', async () => {
  const folder = await testFolder({ 'websites.yaml': FILE });
  const flags = ['--base-url', 'local', '--format', 'json'];
  const ran = await runInProcess(['plan', '--out', 'my plan.json', ...flags], folder);
  const { expires_at } = JSON.parse(await readFile(join(folder, 'my plan.json'), 'utf8'));
  const apply = "websites apply 'my plan.json' --base-url local";
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{.*\}\n$/s),
    stderr: `Saved to my plan.json: "${apply}" carries out exactly that, until ${expires_at}.\n`,
  });
  expect((await runInProcess(['apply', 'my plan.json', '--base-url', 'local'], folder)).code).toBe(0);
  expect((await runInProcess(['plan', '--out', 'next.json'], folder)).stderr).toBe('Saved to next.json.\n');
  expect((await runInProcess(['plan', '--out', 'next.json', '--quiet'], folder)).stderr).toBe('');
});
