/** The hook for pre-commit, and the plain Git hook: they reject a commit of an invalid websites.yaml. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { git, scratchRepo } from '../support/scratch-repo.ts';
import { websitesBin } from '../support/websites-bin.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): unknown => parse(readFileSync(join(ROOT, file), 'utf8'));

const RIGHT = 'version: 1\nwebsites: [a.example]\n';
const WRONG = 'version: 1\nwebsites: [{ domain: a.example, privacy: secret }]\n';

test('the pre-commit example names the hook, and the hook validates the files', async () => {
  const [hook] = read('.pre-commit-hooks.yaml') as Record<string, unknown>[];
  expect(hook).toMatchObject({ id: 'websites-validate', language: 'node', pass_filenames: false });
  const { repos } = read('examples/pre-commit/.pre-commit-config.yaml') as {
    repos: { rev: string; hooks: { id: string; files: string }[] }[];
  };
  expect(repos).toMatchObject([{ rev: expect.stringMatching(/^v\d/), hooks: [{ id: hook?.id }] }]);
  expect('websites.yaml').toMatch(new RegExp(repos[0]?.hooks[0]?.files ?? 'nothing'));
  expect('sites/a.yml').toMatch(new RegExp(String(hook?.files)));
  expect('src/main.ts').not.toMatch(new RegExp(String(hook?.files)));

  const folder = await testFolder({ 'websites.yaml': WRONG });
  const env = { PATH: [await websitesBin(folder), process.env.PATH].join(delimiter) };
  const options = { cwd: folder, env };
  expect(await runProcess('bash', ['-c', String(hook?.entry)], options)).toMatchObject({ code: 1 });
  writeFileSync(join(folder, 'websites.yaml'), RIGHT);
  expect(await runProcess('bash', ['-c', String(hook?.entry)], options)).toMatchObject({ code: 0 });
});

const [HAS_PRE_COMMIT, HAS_NPM] = ['pre-commit', 'npm'].map(
  (program) => spawnSync(program, ['--version']).status === 0,
);

test.skipIf(!HAS_PRE_COMMIT || !HAS_NPM)(
  'pre-commit installs the hook from a Git repository and runs it',
  { timeout: 300_000 },
  async () => {
    const folder = await testFolder();
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      PRE_COMMIT_HOME: join(folder, 'cache'),
      npm_config_offline: 'true',
    };
    const { work } = scratchRepo(folder);
    const example = readFileSync(join(ROOT, 'examples/pre-commit/.pre-commit-config.yaml'), 'utf8');
    const config = example.replace(/https:\S+/, `file://${releaseIn(join(folder, 'release'))}`);
    writeFileSync(join(work, '.pre-commit-config.yaml'), config);
    const check = (text: string) => {
      writeFileSync(join(work, 'websites.yaml'), text);
      git(work, 'add', '--all');
      return runProcess('pre-commit', ['run'], { cwd: work, env });
    };

    expect(await check(RIGHT)).toMatchObject({ code: 0, text: expect.stringContaining('Passed') });
    expect(await check(WRONG)).toMatchObject({ code: 1, text: expect.stringContaining('privacy must be') });
  },
);

/** A release as npm reads it from a tag, built already, so that nothing is downloaded. */
function releaseIn(folder: string): string {
  mkdirSync(folder);
  const { work } = scratchRepo(folder);
  for (const file of ['.npmrc', '.pre-commit-hooks.yaml', 'dist'])
    cpSync(join(ROOT, file), join(work, file), { recursive: true });
  mkdirSync(join(work, 'scripts'));
  writeFileSync(join(work, 'scripts/prepare.mjs'), '');
  const { dependencies, devDependencies, overrides, ...manifest } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  writeFileSync(join(work, 'package.json'), JSON.stringify(manifest));
  git(work, 'add', '--all');
  git(work, 'commit', '--quiet', '--message', 'A release');
  git(work, 'tag', 'v0.1.0');
  return work;
}

test('the plain Git hook validates staged content, and only if websites.yaml changed', async () => {
  const folder = await testFolder();
  const env = {
    PATH: [await websitesBin(folder), process.env.PATH].join(delimiter),
    HOME: folder,
    TMPDIR: folder,
  };
  const work = join(folder, 'work');
  git(folder, 'init', '--quiet', work);
  copyFileSync(join(ROOT, 'examples/pre-commit/pre-commit'), join(work, '.git/hooks/pre-commit'));
  const commit = async (files: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(work, name), text);
    git(work, 'add', ...Object.keys(files));
    const identity = ['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.com'];
    return runProcess('git', [...identity, 'commit', '--message', 'A change'], { cwd: work, env });
  };

  expect(await commit({ 'websites.yaml': RIGHT })).toMatchObject({ code: 0 });
  expect(await commit({ 'websites.yaml': WRONG })).toMatchObject({
    code: 1,
    text: expect.stringContaining('privacy must be'),
  });
  // The file in the directory is valid again; the staged one is not.
  writeFileSync(join(work, 'websites.yaml'), RIGHT);
  expect(await commit({})).toMatchObject({ code: 1 });
  git(work, 'checkout', 'HEAD', '--', 'websites.yaml');
  writeFileSync(join(work, 'websites.yaml'), WRONG);
  expect(await commit({ 'README.md': 'Nothing of it.\n' })).toMatchObject({ code: 0 });
  // A file above the directory of the check does not count either.
  writeFileSync(join(folder, 'websites.yaml'), WRONG);
  git(work, 'rm', '--quiet', '--force', 'websites.yaml');
  expect(await commit({})).toMatchObject({ code: 0 });
});
