import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const ELSEWHERE = { WEBSITES_API_KEY: 'key', WEBSITES_API_KEY_ONE: 'key' };

// 127.0.0.1:9 is reached by no request: the run is known to be of another service before that.
test.each([
  ['', [], '.', { WEBSITES_BASE_URL: 'http://127.0.0.1:9' }, 'Say --base-url local where'],
  [
    ' of a target',
    ['--target-name', 'one'],
    'targets/one',
    { WEBSITES_BASE_URL_ONE: 'http://127.0.0.1:9' },
    'Say WEBSITES_BASE_URL_ONE=local where',
  ],
] as const)(
  'a run%s on another service is not undone, and it is told how that is named',
  async (_, flags, root, env, remedy) => {
    const where =
      flags.length === 0 ? 'service: { base_url: local }' : 'targets: { one: { base_url: local } }';
    const folder = await testFolder({ 'websites.yaml': `${where}\nwebsites: [a.example]\n` });
    expect((await runInProcess(['apply', '--auto-approve', ...flags], folder)).code).toBe(0);
    const run = readdirSync(join(folder, root, '.websites/runs'))[0]?.replace('.ndjson', '') ?? '';
    const refused = await runInProcess(['undo', run, ...flags], folder, { ...ELSEWHERE, ...env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(remedy) });
  },
);

test('a pattern that matches no file is an error: what the run created may be protected there', async () => {
  const folder = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
  });
  expect((await runInProcess(['apply', '--auto-approve'], folder)).code).toBe(0);
  const undo = ['undo', '--auto-approve', '--allow-deletes', '1', '-f', 'websites.yaml'];
  expect(await runInProcess([...undo, '-f', 'kept/*.yaml'], folder)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('No file matches kept/*.yaml.'),
  });
  expect(await runInProcess(undo, folder)).toMatchObject({ code: 0 });
});
