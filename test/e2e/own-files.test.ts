/** Files that the program creates: Git ignores them, and no other user can read a key. */
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { runBuilt } from '../support/built.ts';
import { startCli, testFolder } from '../support/cli.ts';
import { git } from '../support/scratch-repo.ts';
import { scripted } from '../support/scripted-service.ts';

const YAML = 'version: 1\nservice: { base_url: local }\nwebsites: [a.example]\n';

async function checkout(files: Record<string, string> = {}): Promise<string> {
  const folder = await testFolder({ 'websites.yaml': YAML, ...files });
  git(folder, 'init', '--quiet');
  return folder;
}

/** Files that "git add ." would add. */
const untracked = (folder: string): string[] =>
  git(folder, 'ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

/** The output of `serve` until it listens. */
async function served(folder: string, ...args: string[]): Promise<string> {
  const { child, ended } = startCli(['serve', '--port', '0', '--db', 'own.db', ...args], { cwd: folder });
  let said = '';
  await new Promise<void>((done) => {
    child.once('close', () => done());
    child.stderr?.on('data', (text: string) => {
      said += text;
      if (said.includes('Serving')) done();
    });
  });
  child.kill('SIGTERM');
  return (await ended).stderr;
}

test.each([['plan'], ['apply', '--auto-approve']])('Git ignores all that %s creates', async (...args) => {
  const folder = await checkout();
  expect(await runBuilt(args, { cwd: folder })).toMatchObject({ code: 0 });
  expect(untracked(folder)).toEqual(['websites.yaml']);
});

test('apply keeps an existing .gitignore in the state directory', async () => {
  const kept = await checkout({ '.websites/.gitignore': '!runs\n' });
  await runBuilt(['apply', '--auto-approve'], { cwd: kept });
  expect(await readFile(join(kept, '.websites/.gitignore'), 'utf8')).toBe('!runs\n');
});

test('Git ignores the state directory of a target after an apply', async () => {
  const folder = await checkout({
    'websites.yaml': 'version: 1\ntargets: { one: { base_url: local } }\nwebsites: [a.example]\n',
  });
  const args = ['apply', '--auto-approve', '--target', 'one'];
  expect(await runBuilt(args, { cwd: folder })).toMatchObject({ code: 0 });
  expect(untracked(folder)).toEqual(['websites.yaml']);
});

test('serve writes a .gitignore for its key file, or suggests the line for an existing one', async () => {
  const folder = await checkout();
  expect(await served(folder)).toContain('so that Git ignores the API key in own.key');
  expect(untracked(folder)).not.toContain('own.key');
  const other = await checkout({ '.gitignore': '*.db\n' });
  expect(await served(other)).toMatch(/Warning: Git does not ignore .*own\.key.* Add \/own\.key to /);
  expect(await readFile(join(other, '.gitignore'), 'utf8')).toBe('*.db\n');
  const ignored = await checkout({ '.gitignore': '*.key\n' });
  expect(await served(ignored)).not.toContain('Git');
  const odd = await checkout();
  expect(await served(odd, '--api-key-file', 'a [b].key')).toContain('so that Git ignores');
  expect(untracked(odd)).not.toContain('a [b].key');
});

test('serve writes no .gitignore outside of a Git checkout', async () => {
  const folder = await testFolder();
  expect(await served(folder)).not.toContain('Git');
  await expect(stat(join(folder, '.gitignore'))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe.skipIf(process.platform === 'win32')('a key file that other users can read is reported', () => {
  test.each(['own.key', 'other.key'])('serve restricts a key file open to others (%s)', async (name) => {
    const key = mintKey();
    const folder = await testFolder({ [name]: `${key}\n` });
    const file = join(folder, name);
    const args = name === 'own.key' ? [] : ['--api-key-file', name];
    await chmod(file, 0o644);
    const said = await served(folder, ...args);
    expect(said).toMatch(/Warning: other users could read .*0644.*0600/);
    expect(said).not.toContain(key);
    expect(await modeOf(file)).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe(`${key}\n`);
    expect(await served(folder, ...args)).not.toContain('Warning');
  });

  test('the embedded service restricts a key file that other users can read, and warns', async () => {
    const folder = await checkout();
    await runBuilt(['plan'], { cwd: folder });
    const file = join(folder, '.websites/local.key');
    await chmod(file, 0o640);
    const planned = await runBuilt(['plan'], { cwd: folder });
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringContaining('(mode 0640)') });
    expect(await modeOf(file)).toBe(0o600);
  });

  test('plan warns about an --api-key-file that others can read, and leaves it unchanged', async () => {
    const service = await scripted({ records: [] });
    const { WEBSITES_API_KEY: key = '', ...env } = service.env as Record<string, string>;
    const folder = await testFolder({
      'websites.yaml': 'version: 1\nwebsites: [a.example]\n',
      'api.key': key,
    });
    const plan = () => runBuilt(['plan', '--api-key-file', 'api.key'], { cwd: folder, env });
    await chmod(join(folder, 'api.key'), 0o644);
    const told = await plan();
    expect(told).toMatchObject({ code: 0, stderr: expect.stringContaining('chmod 600 api.key') });
    expect(told.stderr).not.toContain(key);
    expect(await modeOf(join(folder, 'api.key'))).toBe(0o644);
    await chmod(join(folder, 'api.key'), 0o600);
    expect((await plan()).stderr).not.toContain('Warning');
  });

  test.skipIf(process.getuid?.() !== 0)('serve accepts a mounted key file of another user', async () => {
    const folder = await testFolder();
    const file = join(folder, 'own.key');
    await writeFile(file, `${mintKey()}\n`, { mode: 0o444 });
    const { chown } = await import('node:fs/promises');
    await chown(file, 12_345, 12_345);
    expect(await served(folder)).not.toContain('Warning');
    expect(await modeOf(file)).toBe(0o444);
  });
});
