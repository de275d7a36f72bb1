import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const run = (line: string, cwd: string) => runInProcess(line.split(' '), cwd);

describe('a pattern that matches no file', () => {
  test.each(['nosuch/*.yaml', 'empty'])('is an error where nothing else is read: %s', async (pattern) => {
    const folder = await testFolder();
    await mkdir(join(folder, 'empty'));
    expect(await run(`validate -f ${pattern}`, folder)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`Error: No file matches ${pattern}.\n`),
    });
  });

  test('is warned of beside others', async () => {
    const folder = await testFolder({ 'a.yaml': 'websites: [a.example]\n' });
    expect(await run('validate -f a.yaml -f b*.yaml', folder)).toEqual({
      code: 0,
      stdout: 'Valid: 1 website in a.yaml.\n',
      stderr: expect.stringMatching(/^warning: no file matches b\*\.yaml\n/),
    });
  });

  test('is warned of where a target names it', async () => {
    const text = 'targets: { staging: { files: ["stagin*/"] } }\nwebsites: [a.example]\n';
    const folder = await testFolder({ 'websites.yaml': text });
    expect(await run('validate', folder)).toEqual({
      code: 0,
      stdout: 'Valid: staging: 1 website in websites.yaml.\n',
      stderr: expect.stringMatching(/^warning: no file matches stagin\*\/\n/),
    });
  });
});

test('standard input is checked for each target', async () => {
  const text = 'targets: { staging: {}, production: {} }\nwebsites: [a.example]\n';
  expect(await runInProcess(['validate', '-f', '-'], await testFolder(), {}, text)).toEqual({
    code: 0,
    stdout: 'Valid: staging: 1 website in -.\nValid: production: 1 website in -.\n',
    stderr: '',
  });
});

test('what targets share is warned of once', async () => {
  const text = 'targets: { staging: {}, production: {} }\nwebsites: [localhost]\n';
  const { stderr } = await run('validate', await testFolder({ 'websites.yaml': text }));
  expect(stderr.match(/warning:/g)).toHaveLength(1);
});
