import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ending, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type ScriptedService, startScriptedService } from '../support/scripted-service.ts';

const KEY = 'key-of-the-init-test';
const ENV = { WEBSITES_API_KEY: KEY };

let service: ScriptedService | undefined;

afterEach(async () => {
  await service?.close();
  service = undefined;
});

const RECORDS = ['a.example', { domain: 'b.example', privacy: 1 }, { domain: 'c.example', email: 1 }];

async function start(records = RECORDS): Promise<ScriptedService> {
  service = await startScriptedService({ key: KEY, records });
  return service;
}

test('init --from writes the records of a service, and the next plan is empty', async () => {
  const { url } = await start();
  const folder = await testFolder({ 'key.txt': KEY });
  const made = await runInProcess(['init', '--from', url, '--api-key-file', 'key.txt'], folder);
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(made.stderr).toContain(
    'Exported 3 websites to websites.yaml.\nNext: websites plan --api-key-file key.txt\n',
  );
  const text = await readFile(join(folder, 'websites.yaml'), 'utf8');
  expect(text).toContain(`service:\n  base_url: ${url}\n`);
  expect(text).not.toContain(KEY);
  const plan = await runInProcess(['plan', '--detailed-exitcode'], folder, ENV);
  expect(plan).toMatchObject({ code: 0, stderr: '' });
  expect(plan.stdout).toContain('No changes. 3 websites match the configuration.');
});

test('init --from URL --out FILE ignores websites.yaml, and suggests a plan of FILE', async () => {
  const { url } = await start();
  const folder = await testFolder({
    'websites.yaml': 'version: 1\nservice: { www: distinct }\nwebsites: [x.example]\n',
  });
  const made = await runInProcess(['init', '--from', url, '--out', 'new.yaml'], folder, ENV);
  expect(made).toMatchObject(ending(0, 'Next: websites plan -f new.yaml\n'));
  const text = await readFile(join(folder, 'new.yaml'), 'utf8');
  expect(text).not.toContain('distinct');
  expect(text).not.toContain('x.example');
  expect((await runInProcess(['plan', '-f', 'new.yaml', '--detailed-exitcode'], folder, ENV)).code).toBe(0);
});

test('init --from an empty service suggests adding websites', async () => {
  const { url } = await start([]);
  const folder = await testFolder();
  expect(await runInProcess(['init', '--from', url], folder, ENV)).toMatchObject({
    code: 0,
    stderr: 'Exported 0 websites to websites.yaml.\nNext: add websites to it, then: websites plan\n',
  });
});

test('init --from exits with 1 before any request if the file exists, unless --force is set', async () => {
  const { url, requests } = await start();
  const folder = await testFolder({ 'websites.yaml': 'mine\n' });
  const refused = await runInProcess(['init', '--from', url], folder, ENV);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('exists already') });
  expect(requests).toEqual([]);
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toBe('mine\n');
  expect((await runInProcess(['init', '--from', url, '--force'], folder, ENV)).code).toBe(0);
  expect(await readFile(join(folder, 'websites.yaml'), 'utf8')).toContain('a.example');
});

test.for<[name: string, args: string[], code: number, says: string]>([
  ['an address that is not valid', ['--from', 'ftp://x.example'], 1, 'base-url-invalid'],
  ['no API key', ['--from', 'URL'], 1, 'No API key is set.'],
  ['a key that the service rejects', ['--from', 'URL', '--api-key-file', 'wrong.txt'], 3, 'key-refused'],
  ['no address after --from', ['--from'], 1, '--from needs a value'],
])('init with %s is an error, and writes nothing', async ([name, args, code, says]) => {
  const { url } = await start();
  const folder = await testFolder({ 'wrong.txt': 'another-key' });
  const words = args.map((word) => (word === 'URL' ? url : word));
  const ended = await runInProcess(['init', ...words], folder, name.includes('address') ? ENV : {});
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
  expect(await readdir(folder)).toEqual(['wrong.txt']);
});

test.each([
  ['our sites.yaml', "Next: websites plan -f 'our sites.yaml'\n"],
  ["Ann's$.yaml", "Next: websites plan -f 'Ann'\\''s$.yaml'\n"],
])('init --out "%s" quotes the file name in the command that it suggests', async (out, next) => {
  const made = await runInProcess(['init', '--out', out], await testFolder());
  expect(made).toEqual({ code: 0, stdout: `Wrote ${out}. ${next}`, stderr: '' });
});

test('init writes a valid websites.yaml, and does not overwrite an existing one', async () => {
  const folder = await testFolder();
  expect(await runInProcess(['init'], folder)).toEqual({
    code: 0,
    stdout: 'Wrote websites.yaml. Next: websites plan\n',
    stderr: '',
  });
  expect((await runInProcess(['validate'], folder)).code).toBe(0);
  expect((await runInProcess(['init'], folder)).stderr).toContain('exists already');
});

test.each([
  ['new.yaml', 'websites plan -f new.yaml'],
  ['./websites.yaml', 'websites plan'],
])('init --out %s suggests a plan command that works', async (out, next) => {
  const folder = await testFolder();
  const { stdout } = await runInProcess(['init', '--out', out], folder);
  expect(stdout).toBe(`Wrote ${out}. Next: ${next}\n`);
  expect((await runInProcess(next.split(' ').slice(1), folder)).code).toBe(0);
});

test.each([
  ['npx', "'websites' 'init'", 'npx --no websites plan'],
  ['npx', 'vitest run', 'websites plan'],
  ['test', 'websites init', 'websites plan'],
])('init run by npm as %s (%s) suggests "%s"', async (event, script, next) => {
  const env = { npm_lifecycle_event: event, npm_lifecycle_script: script };
  const { stdout } = await runInProcess(['init'], await testFolder(), env);
  expect(stdout).toBe(`Wrote websites.yaml. Next: ${next}\n`);
});
