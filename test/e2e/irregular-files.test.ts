/** Pipes and devices instead of files, which would be read without end. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { MAIN, runCli, testFolder } from '../support/cli.ts';

const FILE = `service: { base_url: local }
websites:
  - { from: list.csv }
  - a.example
`;
const RUN = '20260101T000000.000Z-abcdef';

/** A valid configuration, with a pipe without a writer at `path`. */
async function withPipe(path: string): Promise<string> {
  const cwd = await testFolder({
    'websites.yaml': FILE,
    'list.csv': 'domain\nb.example\n',
    secret: 'hunter2',
  });
  const pipe = join(cwd, path);
  mkdirSync(dirname(pipe), { recursive: true });
  execFileSync('rm', ['-f', pipe]);
  execFileSync('mkfifo', [pipe]);
  return cwd;
}

const APPLY = ['apply', '--auto-approve'];

test.each([
  ['websites.yaml', APPLY, 'file-failed'],
  ['list.csv', APPLY, 'config-invalid'],
  [`.websites/runs/${RUN}.ndjson`, APPLY, 'file-failed'],
  [`.websites/runs/${RUN}.ndjson`, ['runs', RUN], 'file-failed'],
  ['.websites/local.key', APPLY, 'file-failed'],
  ['.websites/local.db', APPLY, 'store-failed'],
  ['into.yaml', ['import', 'list.csv', '--into', 'into.yaml'], 'file-failed'],
])('a pipe at the path %s is an error at once for the command %j', async (path, args, code) => {
  const cwd = await withPipe(path);
  const ran = await runBuilt([...args, '--format', 'json'], { cwd });
  expect(ran.code).not.toBe(0);
  expect(ran.printed).toContain(`explain ${code}`);
});

test('apply of a saved plan exits with 1 if websites.yaml is a pipe now', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n' });
  await runBuilt(['plan', '--out', 'plan.json'], { cwd });
  execFileSync('rm', [join(cwd, 'websites.yaml')]);
  execFileSync('mkfifo', [join(cwd, 'websites.yaml')]);
  expect(await runBuilt(['apply', 'plan.json'], { cwd })).toMatchObject({
    code: 1,
    printed: expect.stringContaining('websites.yaml cannot be read: it is a pipe'),
  });
});

test('validate exits with 1 if websites.yaml is a link to /dev/zero', async () => {
  const cwd = await testFolder();
  symlinkSync('/dev/zero', join(cwd, 'websites.yaml'));
  const { code, stderr } = await runCli(['validate'], { cwd });
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('explain file-failed') });
});

test('import and validate read a pipe that the user names', async () => {
  const cwd = await testFolder({ key: `${'k'.repeat(32)}\n` });
  writeFileSync(join(cwd, 'ok.yaml'), 'websites: [a.example]\n');
  const script = [
    '"$0" "$1" import <(echo b.example) --from-format text --into new.yaml',
    '"$0" "$1" validate -f <(cat ok.yaml)',
  ].join(' && ');
  const ran = spawnSync('bash', ['-c', script, process.execPath, MAIN], { cwd, encoding: 'utf8' });
  expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining('1 website') });
});
