/** Content of hidden directories such as `.git`, to which a pull request may refer, is not sent or quoted. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { type Files, testFolder } from '../support/cli.ts';
import { setPlace } from '../support/place.ts';

const YAML = (password: string): string =>
  `version: 1\nwebsites: [{ domain: a.example, privacy: password, password: ${password} }]\n`;
const HELD: Files = {
  '.git/config': 'TOKEN',
  '.websites/local.key': 'TOKEN',
  '.config/gh/hosts.yml': 'TOKEN',
  '.git/list.csv': 'domain\ntoken.example\n',
  'sites/.env': 'fine',
  '..data/password': 'fine',
};

async function applied(files: Files, link?: readonly [target: string, path: string], env = {}) {
  const { folder, service, run } = await setPlace({ ...HELD, ...files }, {}, env);
  if (link !== undefined) await symlink(link[0], join(folder, link[1]));
  const ended = await run('apply --auto-approve');
  return { ...ended, sent: JSON.stringify(service.requests), records: service.records() };
}

test.each<[what: string, yaml: string, link?: readonly [string, string]]>([
  ['a password in .git/config', YAML('{ file: .git/config }')],
  ['a password in another hidden directory', YAML('{ file: .config/gh/hosts.yml }')],
  ['a password in the state directory', YAML('{ file: ./.websites/local.key }')],
  ['a link to .git/config', YAML('{ file: password }'), ['.git/config', 'password']],
  ['a link to .git', YAML('{ file: way/config }'), ['.git', 'way']],
  ['a list in .git', 'version: 1\nwebsites: { from: .git/list.csv }\n'],
  ['a link to a list in .git', 'version: 1\nwebsites: { from: list.csv }\n', ['.git/list.csv', 'list.csv']],
  ['a password in .git from a cell of a list', 'version: 1\nwebsites: { from: cells.csv }\n'],
])('apply exits with 1 if the files refer to %s', async (_, yaml, link) => {
  const cells = 'domain,privacy,password\na.example,password,file:.git/config\n';
  const ended = await applied({ 'websites.yaml': yaml, 'cells.csv': cells }, link);
  expect(ended).toMatchObject({ code: 1, records: [], stderr: expect.stringContaining('begins with a dot') });
  expect(ended.sent + ended.stdout + ended.stderr).not.toMatch(/TOKEN|token\.example/);
});

test.each<[what: string, file: string, link?: readonly [string, string]]>([
  ['a file whose own name begins with a dot', 'sites/.env'],
  ['the volume of a Kubernetes secret', 'password', ['..data/password', 'password']],
])('apply reads a password from %s', async (_, file, link) => {
  expect(await applied({ 'websites.yaml': YAML(`{ file: ${file} }`) }, link)).toMatchObject({ code: 0 });
});

test('WEBSITES_ALLOW_PATH allows a hidden directory, but not hidden directories in it', async () => {
  const ALLOW = { WEBSITES_ALLOW_PATH: '.secrets' };
  const files = { '.secrets/a': 'fine', '.secrets/.git/config': 'TOKEN' };
  const allowed = (file: string) =>
    applied({ ...files, 'websites.yaml': YAML(`{ file: ${file} }`) }, undefined, ALLOW);
  expect(await allowed('.secrets/a')).toMatchObject({ code: 0 });
  expect(await allowed('.secrets/.git/config')).toMatchObject({ code: 1, records: [] });
});

test('an error does not quote a file outside of the directory that websites.yaml links to', async () => {
  const outside = await testFolder({
    shadow:
      'root:$6$SECRET1:19000:0:99999:7:::\nalice: "SECRET2"\n"SECRET3": [1, SECRET4]\nversion: SECRET5\nwebsites: [{ SECRET6: 1, domain: "SECRET7!" }]\n',
  });
  const folder = await testFolder({ 'list.txt': 'b.example\n' });
  await symlink(join(outside, 'shadow'), join(folder, 'websites.yaml'));
  const run = (...args: string[]) => runBuilt(args, { cwd: folder, env: { WEBSITES_API_KEY: 'some-key' } });
  for (const args of [
    ['validate'],
    ['validate', '--format', 'json'],
    ['plan'],
    ['import', 'list.txt'],
    ['export', '--into', 'websites.yaml'],
  ]) {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout + stderr]).toEqual([1, expect.not.stringMatching(/SECRET|alice|root/)]);
  }
  const allowed = await runBuilt(['validate'], { cwd: folder, env: { WEBSITES_ALLOW_PATH: outside } });
  expect(allowed.stderr + allowed.stdout).toContain('alice');
});
