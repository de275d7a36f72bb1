/** Links of a pull request: if one leads outside, nothing is written through it, and nothing is sent. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Files, MAIN, ownEnvironment, testFolder } from '../support/cli.ts';
import { setPlace } from '../support/place.ts';

const FILE =
  'version: 1\nwebsites: [{ domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }]\n';

/** A place, and a directory outside that must stay unchanged. */
async function setUp(files: Files | string = FILE) {
  const outside = await testFolder({ empty: '', 'state/runs/.keep': '' });
  const written = async (): Promise<string[]> =>
    (await readdir(outside, { recursive: true })).filter(
      (name) => !/^(?:empty|state|state.runs(?:..keep)?)$/.test(name),
    );
  return { ...(await setPlace(files, {}, { SITE_PASSWORD: 'of-the-site' })), outside, written };
}

test.each([
  ['.websites', 'state'],
  ['.websites/runs', 'state/runs'],
  ['.websites/locks', 'state'],
  ['.websites/runs/20260131T090000.000Z-1a2b3c.ndjson', 'empty'],
  ['.websites/locks/own.lock', 'none'],
])('apply exits with 1 if %s is a link out of the directory', async (link, target) => {
  const { folder, outside, service, run, written } = await setUp();
  await mkdir(join(folder, link, '..'), { recursive: true });
  await symlink(join(outside, target), join(folder, link));
  const ended = await run('apply --auto-approve');
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/is a link/) });
  expect(ended.stderr).toContain(link);
  expect(service.records()).toEqual([]);
  expect(await written()).toEqual([]);
  expect(await readFile(join(outside, 'empty'), 'utf8')).toBe('');
  // Follows the remedy.
  await rm(join(folder, link));
  expect(await run('apply --auto-approve')).toMatchObject({ code: 0 });
});

test.each(['.websites/local.db', '.websites/local.key'])(
  'plan on the embedded service exits with 1 if %s is a link',
  async (link) => {
    const { folder, outside, run, written } = await setUp();
    await mkdir(join(folder, '.websites'));
    await symlink(join(outside, 'new'), join(folder, link));
    const ended = await run('plan', { env: { WEBSITES_BASE_URL: 'local' } });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`${link} is a link`) });
    expect(await written()).toEqual([]);
  },
);

test('an error about the state directory suggests WEBSITES_STATE_FOLDER', async () => {
  const { run } = await setUp({ 'websites.yaml': FILE, '.websites': '' });
  const stderr = expect.stringMatching(/\.websites cannot be used: .*WEBSITES_STATE_FOLDER/s);
  expect(await run('apply --auto-approve')).toMatchObject({ code: 1, stderr });
  // Follows the remedy.
  const env = { WEBSITES_STATE_FOLDER: 'other' };
  expect(await run('apply --auto-approve', { env })).toMatchObject({ code: 0 });
});

test('apply exits with 1 if the state directory of a target is a link', async () => {
  const file = 'version: 1\ntargets: { prod: {} }\nwebsites: [a.example]\n';
  const { folder, outside, service, run, written } = await setUp(file);
  await mkdir(join(folder, 'targets'));
  await symlink(join(outside, 'state'), join(folder, 'targets/prod'));
  const own = { WEBSITES_BASE_URL_PROD: service.url, WEBSITES_API_KEY_PROD: service.key };
  const env = { ...own, WEBSITES_BASE_URL: '', WEBSITES_API_KEY: '' };
  expect(await run('apply --auto-approve --target prod', { env })).toMatchObject({ code: 1 });
  expect(service.records()).toEqual([]);
  expect(await written()).toEqual([]);
});

test.each([
  'plan --out out/plan.json',
  'plan --out link.json',
  'plan --report html=out/plan.html',
  'plan --report json=link.json',
  'apply --auto-approve --report html=out/result.html',
  'export --out out/all.yaml',
  'export --out link.json --force',
  'export --into link.yaml',
  'init --out out/new.yaml',
])('"%s" exits with 1 before any request if a link leads out of the directory', async (line) => {
  const { folder, outside, service, run, written } = await setUp();
  await symlink(outside, join(folder, 'out'));
  await symlink(join(outside, 'empty'), join(folder, 'link.json'));
  await writeFile(join(outside, 'empty'), FILE);
  await symlink(join(outside, 'empty'), join(folder, 'link.yaml'));
  expect(await run(line)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is a link that leads out'),
  });
  expect(service.requests).toEqual([]);
  expect(await written()).toEqual([]);
  expect(await readFile(join(outside, 'empty'), 'utf8')).toBe(FILE);
});

test('plan writes through links inside the directory, and to any path that the user names', async () => {
  const { folder, outside, run } = await setUp();
  await mkdir(join(folder, 'own'));
  await symlink('own', join(folder, 'out'));
  const named = join(outside, 'named.json');
  const planned = await run(`plan --out out/plan.json --report json=${named}`);
  expect(planned).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'own/plan.json'), 'utf8')).toBe(await readFile(named, 'utf8'));
});

test.skipIf(process.platform === 'win32')('plan --out writes to /dev/stdout', async () => {
  const { folder, env } = await setUp();
  const script = `"$0" "$1" plan --out /dev/stdout --report json=/dev/fd/3 3>&1 > all.txt | cat`;
  const args = ['-c', script, process.execPath, MAIN];
  const { stdout } = await promisify(execFile)('sh', args, {
    cwd: folder,
    env: { ...ownEnvironment(), ...env },
  });
  expect(stdout).toContain('"format"');
  expect(await readFile(join(folder, 'all.txt'), 'utf8')).toContain('"format"');
});
