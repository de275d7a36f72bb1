import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseCommandLine } from '../../src/cli/argv/parse.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { processIo } from '../../src/cli/io/io.ts';
import { flagsIn, optionsOf } from '../../src/cli/options.ts';
import { milliseconds } from '../../src/cli/settings.ts';
import { MAIN, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { BARE_IO } from '../support/io.ts';
import { runProcess } from '../support/process.ts';

/** The words of the command in a line that may also contain pipes, substitutions or redirections. */
function wordsOf(line: string): string[] {
  const [, command = ''] = /\bwebsites ([^|>)]*)/.exec(line) ?? [];
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test.for(Object.entries(COMMANDS))(
  'the help of %s has at least two examples, and each parses as that command',
  async ([name, { examples }]) => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
    const { stdout } = await runInProcess([name, '--help'], '/');
    for (const [line, meaning] of examples) {
      const words = wordsOf(line);
      expect(words[0]).toBe(name);
      expect(await parseCommandLine(words, BARE_IO)).toMatchObject({ command: name });
      expect(meaning).not.toBe('');
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${line} ${meaning}`);
    }
  },
);

test('websites without arguments prints the help', async () => {
  const [bare, asked] = [await runInProcess([], '/'), await runInProcess(['--help'], '/')];
  expect(bare).toEqual(asked);
  expect(bare.code).toBe(0);
});

test.for(Object.keys(COMMANDS))('the help of %s has at most 24 flags and names all choices', async (name) => {
  const { stdout } = await runInProcess([name, '--help'], '/');
  if (name === 'apply') expect(stdout.split('\n').length).toBeLessThanOrEqual(46);
  expect(flagsIn(optionsOf(name)).length).toBeLessThanOrEqual(24);
  const help = stdout.replaceAll(/\s+/g, ' ');
  for (const { about, choices } of optionsOf(name)) {
    if (choices !== undefined) expect(help).toContain(`${about}: ${choices.join(', ')}`);
  }
});

test.for<[line: string, meant: string]>([
  ['plna', 'Did you mean plan?'],
  ['--target x plan', 'Unknown command: x. help: Write the command first, and its flags after it.'],
  ['apply --dry-run', 'Unknown flag: --dry-run. help: Use "websites plan": it never changes anything.'],
  ['plan --prun', 'Did you mean --prune?'],
  ['plan --constructor', 'Unknown flag: --constructor. help: See "websites plan --help".'],
  ['plan --__proto__=1', 'Unknown flag: --__proto__. help: See "websites plan --help".'],
  ['plan --no-prun', 'Did you mean --prune?'],
  ['plan --format jsn', 'Did you mean json? Write one of human, json, markdown, diff, html, gitlab.'],
  ['apply --format xjson', 'Did you mean json? Write one of human, json, ndjson.'],
  ['plan --format yaml', 'help: Write one of human, json, markdown, diff, html, gitlab.'],
  ['completion bahs', 'Invalid argument for "websites completion": "bahs". help: Did you mean bash?'],
  ['completion', '"websites completion" needs bash|zsh|fish. help: See "websites completion --help".'],
  ['apply --skip-stale', 'can only be used with a saved plan.'],
  [
    'apply a.json b.json',
    'Invalid argument for "websites apply": "b.json". help: Pass files to read with -f.',
  ],
  ['export --force', '--force has no effect without --out.'],
  ['export --into a.yaml --force', '--force has no effect without --out.'],
  ['init --allow-incomplete', '--allow-incomplete has no effect without --from.'],
  ['show no.json', 'The plan no.json cannot be read: file not found. help: Pass a file'],
  ['show', '"websites show" needs PLAN-FILE. help: See "websites show --help".'],
  ['export --into a.yaml --out b.yaml', 'cannot be combined with --out. help: Omit one of the two flags.'],
  ['import a.csv --map Site', '--map needs NAME=VALUE. help: Write it as --map "Site'],
  ['import a.csv --default 1', 'needs NAME=VALUE. help: Write it as --default privacy=private.'],
  ['plan --timeout 1w', 'Invalid value "1w" for --timeout. help: Write a number of seconds from'],
  ['plan --max-age 1d', 'Unknown flag: --max-age. help:'],
  ['plan -out plan.json', 'Unknown flag: -out. help: Did you mean --out?'],
  ['plan -target=a.example', 'Unknown flag: -target. help: Did you mean --target?'],
  ['plan -format json', 'Unknown flag: -format. help: Did you mean --format?'],
  ['plan -kSECRET', 'Unknown flag: -k. help: See "websites plan --help".'],
  ['plan -fa.yaml', 'File not found: "a.yaml".'],
  ['plan -f=a.yaml', 'File not found: "a.yaml".'],
  ['apply --domain', '--domain needs a value. help: See "websites apply --help".'],
  ['drift a.yaml', 'Invalid argument for "websites drift": "a.yaml". help: Pass files to read with -f.'],
  ['init a.yaml', 'Invalid argument for "websites init": "a.yaml". help: See "websites init --help".'],
  ['version 1', 'Invalid argument for "websites version": "1". help: See "websites version --help".'],
])('"websites %s" exits with 1 and names the mistake or its fix', async ([line, meant]) => {
  const { code, stdout, stderr } = await runInProcess(line.split(' '), '/');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(meant);
});

const SECONDS = 'Write a number of seconds from 0.001 to 600, or a time such as 500ms, 30s, 5m, 1h, 1d.';

test.for<[line: string, message: string, remedy: string]>([
  ['plan --timeout 0', 'Invalid value "0" for --timeout.', SECONDS.replace('to 600', 'up')],
  ['plan --parallelism 0', 'Invalid value "0" for --parallelism.', 'Write a whole number from 1 to 256.'],
  [
    'drift --parallelism 257',
    'Invalid value "257" for --parallelism.',
    'Write a whole number from 1 to 256.',
  ],
])('"websites %s" is a usage error that names the allowed range', async ([line, message, remedy]) => {
  await expect(parseCommandLine(line.split(' '), BARE_IO)).rejects.toMatchObject({
    code: 'usage',
    message,
    remedy,
  });
});

test.for<[line: string, message: string]>([
  ['undo --report human=websites.yaml', 'websites.yaml is an input of the plan and would be overwritten.'],
  ['plan --out websites.yaml', 'websites.yaml is an input of the plan and would be overwritten.'],
  ['undo --report html=a --report json=./a', './a would be written twice.'],
  ['undo --report human=link', 'link is an input of the plan and would be overwritten.'],
  ['undo --report pdf=a', 'Invalid value "pdf=a" for --report.'],
  ['undo --report html=-', 'Invalid value "html=-" for --report.'],
  ['show plan.json --report human=./plan.json', './plan.json is an input of the plan'],
  ['show plan.json --report html=a --report json=a', 'a would be written twice.'],
])('"websites %s" exits with 1 and writes no file', async ([line, message]) => {
  const files = {
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example]\n',
    'plan.json': '{}',
  };
  const folder = await testFolder(files);
  await symlink('websites.yaml', join(folder, 'link'));
  const { code, stderr } = await runInProcess(line.split(' '), folder);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect((await readdir(folder)).sort()).toEqual(['link', 'plan.json', 'websites.yaml']);
});

test.each([
  ['0s', SECONDS],
  ['601s', SECONDS],
])('WEBSITES_REQUEST_TIMEOUT=%s is an error that names the allowed range', async (value, remedy) => {
  const io = { ...BARE_IO, env: { WEBSITES_REQUEST_TIMEOUT: value } };
  await expect(parseCommandLine(['apply'], io)).rejects.toMatchObject({
    message: `Invalid value "${value}" for WEBSITES_REQUEST_TIMEOUT.`,
    remedy,
  });
});

test('a terminal that reports a width of 0 gets 100 columns', () => {
  const { stdout } = process;
  const before = Object.getOwnPropertyDescriptor(stdout, 'columns');
  onTestFinished(() => void Object.defineProperty(stdout, 'columns', before ?? { value: undefined }));
  Object.defineProperty(stdout, 'columns', { value: 0, configurable: true });
  expect(processIo().width).toBe(100);
});

test('plan in a removed working directory exits with 1 and reports that', async () => {
  const cwd = await testFolder();
  const line = `mkdir gone; cd gone; rmdir ../gone; "${process.execPath}" "${MAIN}" plan`;
  expect(await runProcess('bash', ['-c', line], { cwd, env: {} })).toEqual({
    code: 1,
    text: expect.stringMatching(/^Error: The working directory no longer exists\.\n/),
  });
});

test('an invalid value in WEBSITES_FORMAT is an error that suggests the nearest value', async () => {
  const { code, stderr } = await runInProcess(['plan'], '/', { WEBSITES_FORMAT: 'markdwon' });
  expect(code).toBe(1);
  expect(stderr).toContain('Invalid value "markdwon" for WEBSITES_FORMAT.');
  expect(stderr).toContain('Did you mean markdown?');
});

test.for([
  ['tcp://10.96.12.7:8080', true],
  ['tcp://[fd00::7]:8080', true],
  ['10.96.12.7', false],
] as const)('WEBSITES_PORT=%s counts as a Kubernetes service link: %s', async ([WEBSITES_PORT, isLink]) => {
  const { code, stderr } = await runInProcess(['serve', '--db', '/dev/null/no.db'], '/', { WEBSITES_PORT });
  expect(code).toBe(1);
  expect(stderr.includes('for WEBSITES_PORT')).toBe(!isLink);
});

test.for([',', ' '])('WEBSITES_DOMAIN="%s" is an error, and does not count as unset', async (text) => {
  const { code, stdout, stderr } = await runInProcess(['plan'], '/', { WEBSITES_DOMAIN: text });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`Invalid value "${text}" for WEBSITES_DOMAIN.`);
});

const detailed = async (word: string) => {
  const parsed = await parseCommandLine(['plan', '--prune', word], BARE_IO);
  return 'flags' in parsed ? parsed.flags.detailedExitcode : undefined;
};

test.for(['', '=true', '=1', '=yes', '=YES', '=on'])('--detailed-exitcode%s sets the flag', async (word) => {
  expect(await detailed(`--detailed-exitcode${word}`)).toBe(true);
});

test.for(['=false', '=0', '=no', '=Off'])('--detailed-exitcode%s clears the flag', async (word) => {
  expect(await detailed(`--detailed-exitcode${word}`)).toBe(false);
  expect(await detailed('--no-detailed-exitcode')).toBe(false);
});

test.for<[words: string, message: string]>([
  ['plan --detailed-exitcode=maybe', 'Invalid value "maybe" for --detailed-exitcode.'],
  ['plan --detailed-exitcode=', 'Invalid value "" for --detailed-exitcode.'],
  ['plan --no-out', 'Unknown flag: --no-out.'],
  ['apply --auto-approve --auto-approve', '--auto-approve is given 2 times.'],
  ['apply --allow-empty --prune --no-allow-empty', '--allow-empty is given 2 times.'],
  ['apply --resend-passwords=no --resend-passwords', '--resend-passwords is given 2 times.'],
])('"websites %s" is an error that names the flag at fault', async ([words, message]) => {
  await expect(parseCommandLine(words.split(' '), BARE_IO)).rejects.toThrow(message);
});

test('--timeout 700ms is parsed as exactly 700 milliseconds', async () => {
  const parsed = await parseCommandLine(['plan', '--timeout', '700ms'], BARE_IO);
  const { timeout: seconds } = 'flags' in parsed ? (parsed.flags as Record<string, unknown>) : {};
  expect(milliseconds(seconds as number)).toBe(700);
});
