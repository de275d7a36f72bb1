import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusal, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const run = (line: string, cwd: string) => runInProcess(line.split(' '), cwd);

const folderWith = (files: Readonly<Record<string, string>> = {}): Promise<string> =>
  testFolder({ ...files, 'empty/.keep': '' });

test('validate exits with 1 if -f names only a directory without YAML files', async () => {
  expect(await run('validate -f empty', await folderWith())).toEqual(
    refusal(1, 'Error: No YAML file in empty.\n'),
  );
});

test('validate warns about a directory without YAML files if it reads other files', async () => {
  const folder = await folderWith({ 'a.yaml': 'websites: [a.example]\n' });
  expect(await run('validate -f a.yaml -f empty', folder)).toEqual({
    code: 0,
    stdout: 'Valid: 1 website in a.yaml.\n',
    stderr: expect.stringMatching(/^warning: no YAML file in empty\n/),
  });
});

test.each(['plan', 'apply', 'drift', 'doctor', 'export', 'list', 'runs'])(
  '%s warns about a directory without YAML files',
  async (command) => {
    const { stderr } = await run(`${command} -f empty`, await folderWith());
    expect(stderr).toMatch(/^warning: no YAML file in empty\n/);
  },
);

test('plan reports a directory without YAML files once, as the reason why a guard blocks', async () => {
  const { code, stdout, stderr } = await run('plan -f empty --base-url local', await folderWith());
  expect({ code, stderr }).toEqual({ code: 5, stderr: '' });
  expect(stdout).toContain('blocked (empty): No YAML file in empty.');
});

test('validate warns about a target whose directory has no YAML files', async () => {
  const text = 'targets: { staging: { files: ["empty/"] } }\nwebsites: [a.example]\n';
  const folder = await folderWith({ 'websites.yaml': text });
  expect(await run('validate', folder)).toEqual({
    code: 0,
    stdout: 'Valid: staging: 1 website in websites.yaml.\n',
    stderr: expect.stringMatching(/^warning: no YAML file in empty\n/),
  });
});

test('validate escapes control characters and CI commands in a file name', async () => {
  const name = 'a\n::error::\u001b[31m##[error].csv';
  const text = `websites: { from: ${JSON.stringify(name)} }\n`;
  const folder = await testFolder({ 'websites.yaml': text, [name]: 'domain\na.example\n' });
  expect(await run('validate', folder)).toMatchObject({
    code: 0,
    stdout: 'Valid: 1 website in websites.yaml, a ::error::\\u001b[31m#\\u0023[error].csv.\n',
  });
});

test('validate reports each target of a file from standard input', async () => {
  const text = 'targets: { staging: {}, production: {} }\nwebsites: [a.example]\n';
  expect(await runInProcess(['validate', '-f', '-'], await testFolder(), {}, text)).toEqual({
    code: 0,
    stdout: 'Valid: staging: 1 website in -.\nValid: production: 1 website in -.\n',
    stderr: '',
  });
});

test('validate prints a warning of several targets only once', async () => {
  const text = 'targets: { staging: {}, production: {} }\nwebsites: [localhost]\n';
  const { stderr } = await run('validate', await testFolder({ 'websites.yaml': text }));
  expect(stderr.match(/warning:/g)).toHaveLength(1);
});

const json = async (files: Readonly<Record<string, string>>) => {
  const { code, stdout, stderr } = await run('validate --format json', await testFolder(files));
  return { code, document: JSON.parse(stdout), stderr };
};

test('validate --format json lists valid files, and warnings with their locations', async () => {
  const files = { 'websites.yaml': 'websites:\n  - a.example\n  - localhost\n' };
  expect(await json(files)).toEqual({
    code: 0,
    document: {
      format: 'websites.validation/1',
      valid: [{ target: null, files: ['websites.yaml'], websites: 2, records: expect.any(Array) }],
      warnings: [
        expect.objectContaining({
          severity: 'warning',
          place: { file: 'websites.yaml', line: 3, column: 5 },
          excerpt: { text: '  - localhost', length: 9 },
        }),
      ],
    },
    stderr: expect.stringContaining('1 warning.'),
  });
});

test('validate --format json has an entry for each target', async () => {
  const text = 'targets: { staging: {}, production: { files: [b.yaml] } }\nwebsites: [a.example]\n';
  const { document } = await json({ 'websites.yaml': text, 'b.yaml': 'websites: [b.example]\n' });
  expect(document.valid).toMatchObject([
    { target: 'staging', files: ['websites.yaml'], websites: 1 },
    { target: 'production', files: ['websites.yaml', 'b.yaml'], websites: 2 },
  ]);
});

test('validate --format json lists every problem with its location', async () => {
  const { code, document } = await json({
    'websites.yaml': 'websites:\n  - domain: a.example\n    timezone: 3\n    privacy: 9\n',
  });
  expect(code).toBe(1);
  expect(document).toMatchObject({ format: 'websites.error/1', code: 'config-invalid' });
  expect(document.problems.map(({ place }: { place: object }) => place)).toEqual([
    { file: 'websites.yaml', line: 3, column: 5 },
    { file: 'websites.yaml', line: 4, column: 14 },
  ]);
});

test('the command runs works even if a list in the files is invalid', async () => {
  const files = { 'websites.yaml': 'websites: [{ from: list.csv }]\n', 'list.csv': 'email\nperhaps\n' };
  const folder = await testFolder(files);
  expect(await run('validate', folder)).toMatchObject({ code: 1 });
  expect(await run('runs', folder)).toEqual({
    code: 0,
    stdout: `No runs in ${join(folder, '.websites/runs')}.\n`,
    stderr: '',
  });
});
