/** The shells source the completion scripts themselves; the tests compare what they offer. */
import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { runProcess } from '../support/process.ts';
import { websitesBin } from '../support/websites-bin.ts';

const hasShell = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

const FILE = `version: 1
websites:
  - shop.example
  - { domain: shop.north.example, state: absent }
  - blog.example
`;

const RUN = '20260131T090000.000Z-1a2b3c';
const OTHER_RUN = '20260201T090000.000Z-1a2b3c';

/** A directory with files to complete, and an environment with `websites` in PATH. */
async function setUp() {
  const folder = await testFolder({
    'websites.yaml': FILE,
    'other.yaml': 'version: 1\nwebsites: [shut.example]\n',
    'plan.json': '{}',
    'targets.yaml':
      'version: 1\ntargets: { one: { base_url: https://a.example }, two: { base_url: https://b.example } }\n',
    'two words.json': '{}',
    [`.websites/runs/${RUN}.ndjson`]: '',
    [`two words/.websites/runs/${OTHER_RUN}.ndjson`]: '',
    'two words.yaml': 'version: 1\nwebsites: [spaced.example]\n',
  });
  await mkdir(join(folder, 'sites'));
  const bin = await websitesBin(folder);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder, TERM: 'xterm', LANG: 'C.UTF-8' };
  return { folder, env };
}

async function runShell(shell: string, flags: readonly string[], text: string): Promise<string> {
  const { folder, env } = await setUp();
  const ended = await runProcess(shell, [...flags, text], { cwd: folder, env });
  expect(ended).toMatchObject({ code: 0 });
  return ended.text;
}

/** The typed words, the last one being completed, and all its completions. */
const CASES: readonly (readonly [typed: readonly string[], ...offered: readonly string[]])[] = [
  [['pl'], 'plan'],
  [['ex'], 'explain', 'export'],
  [['plan', '--pr'], '--prune'],
  [['drift', '--format', ''], 'diff', 'gitlab', 'html', 'human', 'json', 'markdown'],
  [['plan', '--format', 'j'], 'json'],
  [['plan', '--timeout', '']],
  [['plan', '']],
  [['plan', '--domain', 'shop'], 'shop.example', 'shop.north.example'],
  [['apply', '--exclude', 'b'], 'blog.example'],
  [['plan', '-f', 'other.yaml', '--domain', 's'], 'shut.example'],
  [['plan', '-f', 'none.yaml', '--domain', 's']],
  [['plan', '-f', '~/other.yaml', '--domain', 's'], 'shut.example'],
  [['plan', '-f', 'two\\ words.yaml', '-f', 'other.yaml', '--domain', 's'], 'shut.example', 'spaced.example'],
  [['plan', '-f', '"two words.yaml"', '--domain', 's'], 'spaced.example'],
  [['serve', '--log', ''], 'json', 'none', 'text'],
  [['completion', ''], 'bash', 'fish', 'zsh'],
  [['explain', 'value-unr'], 'value-unreadable'],
  [['plan', '-f', 'targets.yaml', '--target', ''], 'one', 'two'],
  [['plan', '--report', 'ht'], 'html='],
  [['plan', '-f', 'o'], 'other.yaml'],
  [['list', 'sh'], 'shop.example', 'shop.north.example'],
  [['list', 'shop.example', 'b'], 'blog.example'],
  [['list', '-f', 'other.yaml', ''], 'shut.example'],
  [['runs', '2026'], RUN],
  [['runs', '3']],
  [['undo', ''], RUN],
  [['apply', 'pl'], 'plan.json'],
];

/** Sorts the offers, without the slash that a shell adds to a directory. */
const sorted = (words: readonly string[]): string[] =>
  words
    .filter((word) => word !== '')
    .map((word) => word.replace(/\/$/, ''))
    .sort();

describe.skipIf(!hasShell('bash'))('bash completes command lines (skipped without bash)', () => {
  const complete = (words: readonly string[]): string => `
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_websites
printf '%s\\n' "\${COMPREPLY[@]}" ---
`;
  const answers = async (lines: readonly (readonly string[])[]): Promise<string[][]> => {
    const script = [
      'source <(websites completion bash)',
      ...lines.map((words) => complete(['websites', ...words])),
    ];
    const output = await runShell('bash', ['--norc', '-c'], script.join('\n'));
    return output.split('---\n').map((answer) => sorted(answer.split('\n')));
  };

  test('bash completes commands, flags, values, domains, runs and files', async () => {
    const offered = await answers(CASES.map(([typed]) => typed));
    expect(CASES.map(([typed], index) => [typed, offered[index]])).toEqual(
      CASES.map(([typed, ...words]) => [typed, sorted(words)]),
    );
  });

  test('bash completes "--flag=value", which it splits into three words, and names with spaces', async () => {
    const lines = [
      ['plan', '--format', 'ma'],
      ['plan', '--format', '=', 'ma'],
      ['plan', '--format', '='],
      ['plan', '--domain', '=', 'blog'],
      ['plan', '--file', '=', 'other.yaml', '--domain', 's'],
      ['plan', '--report', 'html', '=', 'pl'],
      ['plan', '--report', '=', 'html', '=', 'pl'],
      ['apply', 'two words.j'],
    ];
    expect((await answers(lines)).slice(0, -1)).toEqual([
      ['markdown'],
      ['markdown'],
      ['diff', 'gitlab', 'html', 'human', 'json', 'markdown'],
      ['blog.example'],
      ['shut.example'],
      ['plan.json'],
      ['plan.json'],
      ['two words.json'],
    ]);
  });
});

describe.skipIf(!hasShell('fish'))('fish completes command lines (skipped without fish)', () => {
  test('fish completes commands, flags, values, domains, runs and files', async () => {
    const lines = CASES.map(([typed]) => `complete -C 'websites ${typed.join(' ')}'; echo ---`);
    const output = await runShell(
      'fish',
      ['--no-config', '-c'],
      ['websites completion fish | source', ...lines].join('\n'),
    );
    const offered = output
      .split('---\n')
      .map((answer) => sorted(answer.split('\n').map((line) => line.split('\t')[0] ?? '')));
    expect(CASES.map(([typed], index) => [typed, offered[index]])).toEqual(
      CASES.map(([typed, ...words]) => [typed, sorted(words)]),
    );
  });
});

describe.skipIf(!hasShell('zsh'))('zsh completes command lines (skipped without zsh)', () => {
  /**
   * Types each line into an interactive shell whose completion functions log what they offer. The screen is
   * not read: while keys wait, the shell need not print offers.
   */
  const script = (lines: readonly string[]): string => `
cat > .zshrc <<'END'
PS1=
autoload -Uz compinit
compinit -u -D
# Complete with further keys waiting too.
zstyle ':completion:*' insert-tab false
LISTMAX=10000
# Keys that come before the editor is ready are not its own.
zle-line-init() { print -n REA''DY }
zle -N zle-line-init
compadd() {
  local -a matches
  # Calls that sort words into arrays add nothing.
  if (( ! $argv[(I)-*(O|A|D)] )); then
    builtin compadd -O matches "$@"
    print -rl -- $matches >> .offered
  fi
  builtin compadd "$@"
}
source <(websites completion zsh)
END
zmodload zsh/zpty
export ZDOTDIR=$PWD
zpty shell zsh -d -i
zpty -r shell shown '*READY*'
for line in ${lines.map((line) => `'${line}'`).join(' ')}; do
  : > .offered
  zpty -w -n shell "$line"$'\\t\\025\\r'
  zpty -r shell shown '*READY*'
  cat .offered
  echo ---
done
zpty -d shell
`;

  test('zsh completes commands, flags, values, domains, runs and files', async () => {
    const lines = CASES.map(([typed]) => `websites ${typed.join(' ')}`);
    const output = await runShell('zsh', ['-f', '-c'], script(lines));
    const offered = output.split('---\n').map((text) => sorted([...new Set(text.split('\n'))]));
    // zsh offers flags at every position, also where the test completes an empty word.
    const isAsked = (typed: readonly string[], word: string) => !word.startsWith('-') || typed.at(-1) !== '';
    expect(
      CASES.map(([typed], index) => [typed, offered[index]?.filter((word) => isAsked(typed, word))]),
    ).toEqual(CASES.map(([typed, ...words]) => [typed, sorted(words)]));
  });
});

/** The completions of the last word. */
const offered = (cwd: string, ...words: string[]) =>
  runBuilt(['__complete', ...words], { cwd, env: { WEBSITES_API_KEY: 'k' } });

test('completion offers every command and every flag', async () => {
  const { COMMANDS } = await import('../../src/cli/commands.ts');
  const { flagsIn, optionsOf } = await import('../../src/cli/options.ts');
  const first = async (...words: string[]) =>
    (await runInProcess(['__complete', ...words], process.cwd())).stdout.match(/^[\w-]+/gm);
  expect(await first('')).toEqual(Object.keys(COMMANDS));
  for (const name of Object.keys(COMMANDS)) {
    const flags = flagsIn(optionsOf(name)).map((flag) => `--${flag.name}`);
    expect(await first(name, '-')).toEqual([...flags, '--help']);
  }
});

test.for([
  'version: 1\nwebsites: [a.example, {domain: "x$(touch hacked).example"}]\n',
  'version: 1\nwebsites: [a.example\n',
  'a: [\n',
])('completion of a domain prints nothing and exits with 0 if websites.yaml is invalid: %j', async (text) => {
  const cwd = await testFolder({ 'websites.yaml': text });
  expect(await offered(cwd, 'plan', '--domain', 'a')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('completion offers the domains of all targets, each once', async () => {
  const cwd = await testFolder({
    'websites.yaml':
      'targets: { one: { files: [one.yaml] }, two: { base_url: local } }\nwebsites: [a.example, b.example]\n',
    'one.yaml': 'websites: [c.example]\n',
  });
  const stdout = 'a.example\nb.example\nc.example\n';
  expect(await offered(cwd, 'plan', '--domain', '')).toMatchObject({ code: 0, stdout, stderr: '' });
});

test('completion of undo offers the runs of the chosen target, newest first', async () => {
  const cwd = await testFolder({
    'websites.yaml': 'targets: { one: { base_url: local } }\nwebsites: []\n',
    [`targets/one/.websites/runs/${RUN}.ndjson`]: '',
    [`targets/one/.websites/runs/${OTHER_RUN}.ndjson`]: '',
  });
  expect((await offered(cwd, 'undo', '--target', 'one', '')).stdout).toBe(`${OTHER_RUN}\n${RUN}\n`);
  expect(await offered(cwd, 'undo', '')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await offered(cwd, 'undo', '-f', '-', '')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('completion offers no domains if no file exists or the file is standard input', async () => {
  const cwd = await testFolder();
  for (const files of [[], ['-f', '-']])
    expect(await offered(cwd, 'plan', ...files, '--domain', '')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
});

test('completion offers "--format=markdown" for "--format=ma", and files for "--file="', async () => {
  const cwd = await testFolder();
  expect((await offered(cwd, 'plan', '--format=ma')).stdout).toBe('--format=markdown\n');
  expect((await offered(cwd, 'plan', '--file=')).stdout).toBe(':file\n');
});
