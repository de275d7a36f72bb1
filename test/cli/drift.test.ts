import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

test('drift --report writes the report and prints nothing if there is no drift', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    'drift.json': '{"create":1,"update":0,"delete":0}\n',
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(folder, 'summary.md') };
  const drift = await runInProcess(['drift', '--report', 'gitlab=drift.json'], folder, env);
  expect(drift).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await readFile(join(folder, 'drift.json'), 'utf8')).toBe('{"create":0,"update":0,"delete":0}\n');
  await expect(readFile(env.GITHUB_STEP_SUMMARY)).rejects.toThrow('ENOENT');
});

async function drifted() {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example, b.example, gone.example]\n',
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const declare = (websites: string) =>
    writeFile(join(folder, 'websites.yaml'), `service: { base_url: local }\nwebsites: ${websites}\n`);
  const command = (...words: string[]) => runInProcess(words, folder);
  return { declare, command, run: (...flags: string[]) => command('drift', ...flags) };
}

test('drift omits the count of matching websites if it is 0', async () => {
  const { declare, run } = await drifted();
  await declare('[new.example]');
  expect((await run()).stdout).toMatch(/\n1 record differs: 1 missing\. 3 orphans\.\n/);
});

test('drift shows both values of a changed setting, and each extra record', async () => {
  const { declare, run } = await drifted();
  await declare('[{ domain: a.example, email: true }, b.example, new.example]');
  const { code, stdout } = await run('--prune');
  expect(code).toBe(2);
  expect(stdout).toMatch(/email +is false, should be true/);
  expect(stdout).toMatch(/- extra +gone\.example .*\n +not in the configuration\n/);
  expect(stdout).toMatch(/\n3 records differ: 1 missing, 1 different, 1 extra\. 1 website matches/);
  expect(stdout).not.toMatch(/→|Plan:|lost|blocked/);
  expect(stdout).toContain(
    '\nhelp: To revert the drift, run "websites apply --prune". To accept it, run "websites export --into websites.yaml --update".\n',
  );
  expect(JSON.parse((await run('--prune', '--format', 'json')).stdout)).toMatchObject({
    format: 'websites.plan/1',
    summary: { create: 1, update: 1, delete: 1 },
  });
});

test('drift --fail-on-orphans exits with 2 if the service has an undeclared record', async () => {
  const { declare, run } = await drifted();
  await declare('[a.example, b.example]');
  expect(await run()).toMatchObject({ code: 0, stdout: '' });
  const { code, stdout } = await run('--fail-on-orphans');
  expect(code).toBe(2);
  expect(stdout).toMatch(/- extra +gone\.example/);
  expect(stdout).toContain('1 record differs: 1 extra. 2 websites match the configuration.');
  await declare('[a.example, b.example, gone.example]');
  expect(await run('--fail-on-orphans')).toMatchObject({ code: 0, stdout: '' });
});

test('the commands that drift suggests accept or revert the drift of the selected domains', async () => {
  const { declare, run, command } = await drifted();
  await declare('[{ domain: a.example, email: true }, { domain: b.example, email: true }]');
  const next = async (word: string): Promise<string[]> => {
    const { stdout } = await run('--domain', 'a.*');
    return (
      new RegExp(`To ${word} (?:it|the drift), run "websites ([^"]*)"`)
        .exec(stdout)?.[1]
        ?.replaceAll("'", '')
        .split(' ') ?? []
    );
  };
  expect(await command(...(await next('accept')))).toMatchObject({ code: 0 });
  expect(await run('--domain', 'a.*')).toMatchObject({ code: 0 });
  expect(await run('--domain', 'b.*')).toMatchObject({ code: 2 });
  await declare('[{ domain: a.example, email: true }, { domain: b.example, email: true }]');
  expect(await command(...(await next('revert')), '--auto-approve')).toMatchObject({ code: 0 });
  expect((await run()).stdout).toMatch(/\n1 record differs: 1 different\./);
});
