import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { MAIN, testFolder } from '../support/cli.ts';
import { call, PATH } from './http.ts';
import { websites as run, serve } from './websites.ts';

let folder: string;
beforeEach(async () => {
  folder = await testFolder();
});

const websites = (words: string, env: Record<string, string> = {}) => run(folder, words, env);

test.each([
  ['serve frob', 'Invalid argument for "websites serve": "frob"'],
  ['serve --port 65536', '"65536" for --port'],
  ['serve --rate-limit -1', '--rate-limit'],
  ['serve --log loud', '"loud" for --log'],
])('"websites %s" ends with exit 1 and names the invalid argument', async (words, message) => {
  const { code, out, err } = await websites(words);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(message);
  expect(err).toMatch(/^Error: .*\.\n {2}help: /);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['the file next to the database, made at the first start', 'serve', {}, 'websites.key'],
  ['the file of --api-key-file, made at the first start', 'serve --api-key-file a.key', {}, 'a.key'],
  ['WEBSITES_API_KEY', 'serve', { WEBSITES_API_KEY: mintKey() }, undefined],
])('"websites serve" reads its API key from %s', async (_, words, env, file) => {
  const { url, lines, child, exit } = await serve(folder, words, env);
  const key = file === undefined ? env.WEBSITES_API_KEY : (await readFile(join(folder, file), 'utf8')).trim();
  expect((await call(url, 'GET', PATH, { key: String(key) })).status).toBe(200);
  expect((await call(url, 'GET', PATH, { key: mintKey() })).status).toBe(401);
  if (file !== undefined) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.endsWith('.key'))).toEqual(
    file === undefined ? [] : [file],
  );
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(lines.join('\n')).not.toContain(key);
});

test('on SIGTERM, "websites serve" finishes requests in flight and exits with 0', async () => {
  const { url, lines, child, exit } = await serve(folder, 'serve --log json --rate-limit 2');
  expect(lines[0]).toMatch(/^Serving .*websites\.db at http:\S+ \(key: .*websites\.key\)/);
  const key = (await readFile(join(folder, 'websites.key'), 'utf8')).trim();
  const form = { domain: 'late.example', privacy: '2', password: 'takes-a-while-to-be-hashed' };
  const late = call(url, 'POST', PATH, { key, form, headers: { 'x-request-id': 'late' } });
  // The request arrives before the next one.
  await call(url, 'GET', PATH, { key });
  child.kill('SIGTERM');
  const { status, headers } = await late;
  expect([status, headers['x-ratelimit-limit']]).toEqual([201, '2']);
  expect(await exit).toEqual([0, null]);
  const entries = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(entries).toHaveLength(2);
  expect(entries).toContainEqual(expect.objectContaining({ request: 'late', status: 201, path: PATH }));
  expect(lines.join('\n')).not.toContain(key);
});

test('"websites serve" without the database library ends with an error and a remedy', async () => {
  // Simulates `npm install --omit=optional`: the library without its native part.
  const hook = `const Module = require('node:module');
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (!name.startsWith('@libsql/')) return resolve(name, ...rest);
      throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
    };`;
  await writeFile(join(folder, 'hook.cjs'), hook);
  await writeFile(
    join(folder, 'websites.yaml'),
    'version: 1\nservice: { base_url: local }\nwebsites: [a.example]\n',
  );
  const run = promisify(execFile);
  for (const words of [['serve', '--port', '0'], ['plan']]) {
    const ended = run(process.execPath, ['--require', './hook.cjs', MAIN, ...words], {
      cwd: folder,
      env: {},
      timeout: 20_000,
    });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: .*library is not installed[\s\S]*--omit=optional[\s\S]*explain store-failed/,
      ),
    });
  }
});
