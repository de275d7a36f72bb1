import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ending, testFolder } from '../../support/cli.ts';
import { runInProcess } from '../../support/in-process.ts';

const REPORTS = ['--report', 'result.md', '--report', 'result.json', '--report', 'result.html'];

async function setUp(websites = '[b.example, a.example]') {
  const folder = await testFolder({
    'websites.yaml': `service: { base_url: local }\nwebsites: ${websites}\n`,
  });
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  return { folder, read, run: (...args: string[]) => runInProcess(args, folder) };
}

test('apply --report writes the result with the domain of each change', async () => {
  const { read, run } = await setUp();
  expect(await run('apply', '--auto-approve', '--report', 'human=result.txt', ...REPORTS)).toMatchObject({
    code: 0,
  });
  expect(JSON.parse(await read('result.json'))).toMatchObject({
    format: 'websites.result/1',
    summary: { created: 2 },
  });
  expect(await read('result.md')).toContain('### Applied: 2 changes\n\n- `+ a.example`\n- `+ b.example`\n');
  for (const name of ['result.html', 'result.txt']) expect(await read(name)).toMatch(/2 created|Applied: 2/);
  expect(await run('apply', '--auto-approve', ...REPORTS)).toMatchObject({ code: 0 });
  expect(await read('result.md')).toContain('## Websites: nothing to apply');
  const failed = await run('apply', '--auto-approve', '--format', 'json', '--report', 'html=result.md/a');
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('result.md/a cannot be written') });
  expect(JSON.parse(failed.stdout)).toMatchObject({ format: 'websites.result/1' });
});

test('apply of a saved plan and undo write the files that --report names', async () => {
  const { read, run } = await setUp();
  expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
  expect(await run('apply', 'plan.json', ...REPORTS)).toMatchObject({ code: 0 });
  expect(await read('result.html')).toContain('+ a.example');
  expect(await run('undo', '--auto-approve', '--allow-deletes', '2', ...REPORTS)).toMatchObject({ code: 0 });
  expect(await read('result.md')).toContain('### Applied: 2 changes\n\n- `- a.example`\n- `- b.example`\n');
});

test('apply writes no report if a guard blocks the plan', async () => {
  const { read, run } = await setUp('[]');
  expect(await run('apply', '--auto-approve', ...REPORTS)).toMatchObject({ code: 5 });
  await expect(read('result.md')).rejects.toThrow('ENOENT');
});

test.for([
  { flags: ['--report', 'gitlab=x.json'], said: 'Invalid value "gitlab=x.json" for --report' },
  { flags: ['plan.json', '--report', 'json=plan.json'], said: 'plan.json is an input of the plan' },
])('apply with an unusable --report exits with 1: $said', async ({ flags, said }) => {
  const { run } = await setUp();
  await run('plan', '--out', 'plan.json');
  expect(await run('apply', '--auto-approve', ...flags)).toMatchObject(ending(1, said));
});
