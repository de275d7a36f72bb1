import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const FILE = 'service: { base_url: local }\nwebsites: [a.example]\n';

test('a plan that is saved is told of, with what carries it out', async () => {
  const folder = await testFolder({ 'websites.yaml': FILE });
  const own = ['--base-url', 'local', '--state-folder', 'state'];
  const ran = await runInProcess(['plan', '--out', 'my plan.json', '--format', 'json', ...own], folder);
  const { expires_at } = JSON.parse(await readFile(join(folder, 'my plan.json'), 'utf8'));
  const apply = "websites apply 'my plan.json' --state-folder state --base-url local";
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{.*\}\n$/s),
    stderr: `Saved to my plan.json: "${apply}" carries out exactly that, until ${expires_at}.\n`,
  });
  expect((await runInProcess(['apply', 'my plan.json', ...own], folder)).code).toBe(0);
  const again = ['plan', '--out', 'next.json', ...own];
  expect((await runInProcess(again, folder)).stderr).toBe('Saved to next.json.\n');
  expect((await runInProcess([...again, '--quiet'], folder)).stderr).toBe('');
});

test('of a plan that a guard refuses, no command is named that would be refused', async () => {
  const folder = await testFolder({
    'websites.yaml': FILE,
    'less.yaml': FILE.replace('a.example', '{ domain: a.example, state: absent }'),
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const plan = ['plan', '-f', 'less.yaml', '--out', 'plan.json'];
  expect(await runInProcess(plan, folder)).toMatchObject({ code: 5, stderr: 'Saved to plan.json.\n' });
  const approved = await runInProcess([...plan, '--allow-deletes', '1', '--allow-empty'], folder);
  expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('"websites apply plan.json"') });
});
