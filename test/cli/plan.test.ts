import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const FILE = 'service: { base_url: local }\nwebsites: [a.example]\n';

test('plan --out prints the command that applies the saved plan', async () => {
  const folder = await testFolder({ 'websites.yaml': FILE });
  const own = ['--base-url', 'local'];
  const ran = await runInProcess(['plan', '--out', 'my plan.json', '--format', 'json', ...own], folder);
  const { expires_at } = JSON.parse(await readFile(join(folder, 'my plan.json'), 'utf8'));
  const apply = "websites apply 'my plan.json' --base-url local";
  expect(ran).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{.*\}\n$/s),
    stderr: `Saved to my plan.json: "${apply}" applies exactly this plan, until ${expires_at}.\n`,
  });
  expect((await runInProcess(['apply', 'my plan.json', ...own], folder)).code).toBe(0);
  const again = ['plan', '--out', 'next.json', ...own];
  expect((await runInProcess(again, folder)).stderr).toBe('Saved to next.json.\n');
  expect((await runInProcess(again, folder, { WEBSITES_QUIET: '1' })).stderr).toBe('');
});

test('plan --out does not suggest to apply a plan that a guard blocks', async () => {
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

const FILES = {
  'websites.yaml': `service: { base_url: local }
defaults: { privacy: password }
websites:
  - { domain: a.example, password: { env: A_PASSWORD } }
  - { domain: b.example, password: { file: b.secret } }
  - { domain: c.example, password: { env: C_PASSWORD } }
  - { domain: d.example, password: a-literal }
`,
};
const ENV = { C_PASSWORD: 'c-value' };
const UNSET = ['env:A_PASSWORD', 'file:b.secret'];
const SET = { 'b.secret': 'b-value\n' };

test.each(['human', 'markdown', 'html'])(
  'plan --format %s lists the secrets that apply needs, unset ones first',
  async (format) => {
    const folder = await testFolder(FILES);
    const { code, stdout } = await runInProcess(['plan', '--format', format], folder, ENV);
    expect(code).toBe(0);
    const [, told = ''] = stdout.split('Secrets that apply needs');
    const text = told.replaceAll(/<[^>]*>|`|\s+/g, ' ').replaceAll(/ +/g, ' ');
    expect(text).toMatch(
      /^[:* -]*env:A_PASSWORD \(not set here\)[, -]*file:b\.secret \(not set here\)[, -]*env:C_PASSWORD(?! \()/,
    );
    expect(stdout).not.toMatch(/c-value|a-literal/);
  },
);

test.each(['json', 'gitlab'])('plan --format %s prints unset secrets on standard error', async (format) => {
  const folder = await testFolder(FILES);
  const ran = await runInProcess(['plan', '--format', format], folder, ENV);
  for (const reference of UNSET) expect(ran.stderr).toContain(reference);
  expect(ran.stderr).not.toContain('C_PASSWORD');
  expect(ran.stdout).not.toContain('not set here');
  const env = { ...ENV, WEBSITES_QUIET: '1' };
  const quiet = await runInProcess(['plan', '--format', format], folder, env);
  expect(quiet.stderr).not.toContain('A_PASSWORD');
});

test('the job summary and the report of a plan list the secrets that apply needs', async () => {
  const folder = await testFolder({ ...FILES, summary: '' });
  const env = { ...ENV, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  await runInProcess(['plan', '--report', 'markdown=plan.md'], folder, env);
  for (const file of ['summary', 'plan.md'])
    expect(await readFile(join(folder, file), 'utf8')).toContain('`env:A_PASSWORD` (not set here)');
});

test.each([['plan'], ['drift'], ['show', 'plan.json']])(
  '%s --format json prints only the error if the report cannot be written',
  async (...command) => {
    const folder = await testFolder({ 'websites.yaml': FILE, 'folder/x': '' });
    expect((await runInProcess(['plan', '--out', 'plan.json'], folder)).code).toBe(0);
    const words = [...command, '--format', 'json', '--report', 'html=folder'];
    const { code, stdout } = await runInProcess(words, folder);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ code: 'file-failed' });
  },
);

test('plan --require-secrets exits with 0 if the plan sends none of the unset secrets', async () => {
  const folder = await testFolder({ ...FILES, ...SET });
  const env = { ...ENV, A_PASSWORD: 'a-value' };
  expect((await runInProcess(['apply', '--auto-approve'], folder, env)).code).toBe(0);
  const ran = await runInProcess(['plan', '--require-secrets'], folder);
  expect(ran).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Secrets') });
  // An update sends the password along, so its secret counts.
  const more = FILES['websites.yaml'].replace('a.example,', 'a.example, email: true,');
  await writeFile(join(folder, 'websites.yaml'), more);
  expect(await runInProcess(['plan', '--require-secrets'], folder)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Secrets that apply needs: env:A_PASSWORD (not set here)\n'),
  });
});

test('plan --require-secrets exits with 1 and lists each unset secret with its location', async () => {
  const folder = await testFolder(FILES);
  const plan = ['plan', '--require-secrets', '--out', 'plan.json'];
  const ran = await runInProcess(plan, folder, ENV);
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('Plan: 4 to create') });
  for (const place of ['websites.yaml:4:', 'websites.yaml:5:']) expect(ran.stderr).toContain(place);
  const asJson = await runInProcess([...plan, '--format', 'json'], folder, ENV);
  expect(asJson.code).toBe(1);
  const error = JSON.parse(asJson.stdout);
  expect(error).toMatchObject({ code: 'secret-missing' });
  expect(error.problems).toMatchObject([{ place: { line: 4 } }, { place: { line: 5 } }]);
  // The saved plan omits which secrets are set.
  expect(await readFile(join(folder, 'plan.json'), 'utf8')).not.toContain('not set');
  for (const [name, text] of Object.entries(SET)) await writeFile(join(folder, name), text);
  const env = { ...ENV, A_PASSWORD: 'a-value' };
  expect((await runInProcess(plan, folder, env)).code).toBe(0);
  expect((await runInProcess(['apply', 'plan.json'], folder, env)).code).toBe(0);
});
