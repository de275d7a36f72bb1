import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { ending, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { git } from '../support/scratch-repo.ts';
import { type ScriptedOptions, scripted } from '../support/scripted-service.ts';

type Files = Readonly<Record<string, string>>;

/** A service, a directory with the files `outside`, and in it the repository `repo` with `committed`. */
async function setUp(committed: Files, records: ScriptedOptions['records'] = [], outside: Files = {}) {
  const top = await testFolder();
  const service = await scripted({ records });
  const folder = join(top, 'repo');
  const write = (files: Files, under = folder): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(under, name)), { recursive: true });
      writeFileSync(join(under, name), text);
    }
  };
  write(outside, top);
  write(committed);
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  const own = service.env;
  const run = (args: readonly string[], env: Files = {}, input?: string) =>
    runInProcess(args, folder, { ...own, ...env }, input);
  /** The origin of each change by domain. */
  const origins = async (args: readonly string[], env: Files = {}) => {
    const { stdout, stderr } = await run(['plan', '--since', 'HEAD', '--format', 'json', ...args], env);
    expect(stderr).toBe('');
    return Object.fromEntries((JSON.parse(stdout) as Plan).changes.map((one) => [one.domain, one.origin]));
  };
  return { top, folder, service, write, run, origins };
}

const emails = (value: boolean): string => `websites: [{ domain: a.example, email: ${value} }]\n`;

test('--since finds files of the revision by relative, absolute and linked paths', async () => {
  const { top, folder, service, write, run, origins } = await setUp({ 'sites/a.yaml': emails(true) }, [
    { domain: 'a.example', email: 1 },
  ]);
  write({ 'sites/a.yaml': emails(false) });
  const file = join(folder, 'sites/a.yaml');
  symlinkSync(folder, join(top, 'link'));
  symlinkSync(join(folder, 'sites'), join(top, 'way-in'));
  const names = ['sites/a.yaml', file, join(folder, 'sites'), '../repo/sites'];
  for (const name of [...names, join(top, 'link/sites/a.yaml'), join(top, 'way-in/a.yaml')]) {
    expect(await origins(['-f', name]), name).toEqual({ 'a.example': 'config' });
  }
  expect(await origins([], { WEBSITES_FILE: file })).toEqual({ 'a.example': 'config' });
  const apply = ['apply', '--auto-approve', '--since', 'HEAD', '--only', 'drift', '-f', file];
  expect(await run(apply)).toMatchObject({ code: 0 });
  expect(service.records()).toMatchObject([{ domain: 'a.example', email: 1 }]);
});

test('undo needs no --since after an apply with --since and --only', async () => {
  const { folder, service, write, run } = await setUp({ 'websites.yaml': emails(true) }, [
    { domain: 'a.example', email: 1 },
  ]);
  write({ 'websites.yaml': emails(false) });
  const apply = ['apply', '--auto-approve', '--since', 'HEAD', '--only', 'config', '--fail-on-drift'];
  expect(await run(apply)).toMatchObject({ code: 0 });
  const undone = await run(['undo', '--auto-approve', '--report', 'markdown=undo.md']);
  expect(undone).toMatchObject({ code: 0, stdout: expect.not.stringContaining('--only') });
  expect(readFileSync(join(folder, 'undo.md'), 'utf8')).toContain(
    '## Websites: 0 created, 1 updated, 0 deleted',
  );
  expect(service.records()).toMatchObject([{ domain: 'a.example', email: 1 }]);
});

test('--since reads files under "from" as of the revision too', async () => {
  const list = (email: number): string => `domain,email\na.example,${email}\n`;
  const { folder, write, origins } = await setUp(
    { 'sites/a.yaml': 'websites: { from: ../lists/a.csv }\n', 'lists/a.csv': list(1) },
    [{ domain: 'a.example', email: 1 }],
  );
  write({ 'lists/a.csv': list(0) });
  for (const allowed of ['lists', join(folder, 'lists')]) {
    const found = await origins(['-f', 'sites'], { WEBSITES_ALLOW_PATH: allowed });
    expect(found).toEqual({ 'a.example': 'config' });
  }
});

test('--since reads allowed files outside of the repository as they are now', async () => {
  const { top, origins } = await setUp({ 'websites.yaml': 'websites: { from: ../shared/a.txt }\n' }, [], {
    'shared/a.txt': 'a.example\n',
  });
  for (const allowed of ['../shared', join(top, 'shared'), '..']) {
    expect(await origins([], { WEBSITES_ALLOW_PATH: allowed })).toEqual({ 'a.example': 'drift' });
  }
});

test('--since exits with 1 for a file outside of the repository', async () => {
  const { top, run } = await setUp({ 'websites.yaml': emails(true) }, [], { 'a.yaml': emails(true) });
  for (const name of ['../a.yaml', join(top, 'a.yaml')]) {
    expect(await run(['plan', '--since', 'HEAD', '-f', name])).toMatchObject(
      ending(1, `Error: ${name} is outside of the repository`),
    );
  }
});

test('--since exits with 1 for a file of a nested repository, such as a submodule', async () => {
  const { folder, run } = await setUp({ 'websites.yaml': emails(true) });
  const inner = join(folder, 'inner');
  mkdirSync(join(inner, 'sites'), { recursive: true });
  writeFileSync(join(inner, 'sites', 'a.yaml'), emails(true));
  git(inner, 'init', '--quiet');
  for (const name of ['inner/sites/a.yaml', 'inner/sites', 'inner']) {
    expect(await run(['plan', '--since', 'HEAD', '-f', name])).toMatchObject(
      ending(1, `Error: ${name} is outside of the repository`),
    );
  }
});

test.each([
  ['a new websites.yaml', { 'websites.yaml': emails(true) }, []],
  ['a new file that -f names', { 'a.yaml': emails(true) }, ['-f', 'a.yaml']],
  ['a second file', { 'a.yaml': emails(true), 'b.yaml': 'websites: []\n' }, ['-f', 'a.yaml', '-f', 'b.yaml']],
  ['a new directory', { 'sites/a.yaml': emails(true) }, ['-f', 'sites']],
])('plan --since labels what %s declares as configuration changes', async (_, files: Files, args) => {
  const { top, write, origins } = await setUp({ 'b.yaml': 'websites: []\n' }, [
    { domain: 'a.example', email: 0 },
  ]);
  write(files);
  // A file above the temporary directory does not count.
  write({ 'websites.yaml': emails(true) }, top);
  vi.stubEnv('TMPDIR', top);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await origins(args)).toEqual({ 'a.example': 'config' });
});

test('deletes by a new prune setting are configuration changes, not drift', async () => {
  const { write, origins } = await setUp({ 'websites.yaml': 'websites: []\n' }, [{ domain: 'a.example' }]);
  expect(await origins(['--prune'])).toEqual({ 'a.example': 'drift' });
  write({ 'websites.yaml': 'prune: true\nwebsites: []\n' });
  expect(await origins([])).toEqual({ 'a.example': 'config' });
});

test('plan ignores a --since of zeros, which CI passes for a new branch, and warns', async () => {
  const { service, run } = await setUp({ 'websites.yaml': `prune: removed\n${emails(true)}` }, [
    { domain: 'a.example', email: 0 },
    { domain: 'b.example' },
  ]);
  const zeros = '0'.repeat(40);
  const plan = await run(['plan', '--format', 'json'], { WEBSITES_SINCE: zeros });
  expect(plan).toMatchObject({ code: 0, stderr: expect.stringContaining(`${zeros} is not a commit`) });
  const { changes, options } = JSON.parse(plan.stdout) as Plan;
  expect(options).not.toHaveProperty('since');
  expect(changes.map(({ domain, action, origin }) => [domain, action, origin])).toEqual([
    ['a.example', 'update', undefined],
  ]);
  const flags = [['--only', 'config'], ['--only', 'drift'], ['--fail-on-drift']];
  for (const flag of flags) {
    expect(await run(['apply', '--auto-approve', '--since', zeros, ...flag])).toMatchObject(
      ending(1, `${zeros} is not a commit`),
    );
  }
  expect(service.records()).toMatchObject([{ email: 0 }, {}]);
});

test('plan --since exits with 1 if a file comes from standard input', async () => {
  const { run } = await setUp({ 'websites.yaml': emails(true) });
  expect(await run(['plan', '--since', 'HEAD', '-f', '-'], {}, emails(true))).toMatchObject(
    ending(1, '--since cannot be used with standard input.'),
  );
});

test.each([
  ['HEAD', 0],
  ['no-such', 1],
])('plan --since %s leaves no temporary file', async (revision, code) => {
  const { run } = await setUp({ 'websites.yaml': emails(true) });
  const place = await testFolder();
  vi.stubEnv('TMPDIR', place);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await run(['plan', '--since', revision])).toMatchObject({ code });
  expect(readdirSync(place)).toEqual([]);
});

test('an error in a file of the --since revision names the revision', async () => {
  const { write, run } = await setUp({ 'websites.yaml': `version: 1\nx: 1\n${emails(true)}` });
  write({ 'websites.yaml': emails(true) });
  const plan = ['plan', '--since', 'HEAD'];
  const { code, stderr } = await run(plan);
  expect(code).toBe(1);
  expect(stderr).toContain('error: At HEAD: websites.yaml:2:1: unknown key x\n');
  expect(stderr).toContain('Error: At HEAD: 1 error in 1 file.\n');
});
