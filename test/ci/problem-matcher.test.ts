/** Applies scripts/problem-matcher.json to printed text, as a runner of GitHub does. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

/** Parts of an annotation are numbers of groups; the pattern has a line for each step. */
interface Matcher {
  readonly severity?: string;
  readonly pattern: readonly ({ readonly regexp: string } & Readonly<Partial<Record<Part, number>>>)[];
}

type Part = (typeof PARTS)[number];

const { problemMatcher }: { problemMatcher: readonly Matcher[] } = JSON.parse(
  readFileSync('scripts/problem-matcher.json', 'utf8'),
);

const PARTS = ['file', 'line', 'column', 'severity', 'message'] as const;

/** The annotations of a log: a matcher takes one line for each of its patterns, in order. */
function annotationsOf(log: string) {
  const lines = log.split('\n');
  return lines.flatMap((_, index) => problemMatcher.flatMap((matcher) => match(matcher, lines.slice(index))));
}

function match({ severity, pattern }: Matcher, lines: readonly string[]) {
  const found: Record<string, string | undefined> = { severity };
  for (const [index, { regexp, ...groups }] of pattern.entries()) {
    const matched = new RegExp(regexp).exec(lines[index] ?? '');
    if (matched === null) return [];
    for (const part of PARTS) if (groups[part] !== undefined) found[part] = matched[groups[part]];
  }
  return [found];
}

const run = async (command: string, files: Readonly<Record<string, string>>) => {
  const { stdout, stderr } = await runInProcess(command.split(' '), await testFolder(files), { CI: 'true' });
  return stdout + stderr;
};

const MISTAKES = [
  'version: 1',
  'service: { base_url: local }',
  'websites:',
  '  - domain: a.example',
  '    privacy: nobody',
  '    timezone: Europe/Berlin',
  '  - intranet',
].join('\n');

test.each(['validate', 'plan'])('each problem of %s becomes an annotation at its line', async (command) => {
  const found = annotationsOf(await run(command, { 'websites.yaml': `${MISTAKES}\n` }));
  expect(found).toMatchObject([
    {
      severity: 'error',
      file: 'websites.yaml',
      line: '5',
      column: '14',
      message: expect.stringMatching(/^privacy/),
    },
    {
      severity: 'error',
      file: 'websites.yaml',
      line: '6',
      column: '5',
      message: expect.stringMatching(/timezone/),
    },
    { severity: 'warning', file: 'websites.yaml', line: '7', column: '5' },
  ]);
});

test('warnings of plan become annotations, but its changes do not', async () => {
  const files = { 'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example, intranet]\n' };
  const found = annotationsOf(await run('plan', files));
  expect(found).toMatchObject([{ severity: 'warning', line: '2', column: '23' }]);
});

test('problems in directories and lists are annotated in the files that contain them', async () => {
  const log = await run('validate -f sites', {
    'sites/a b.yaml': 'websites: [{ domain: a.example, privacy: nobody }]\n',
    'sites/lists.yaml': 'websites: { from: list.csv }\n',
    'sites/list.csv': 'domain,privacy\nb.example,perhaps\n',
  });
  expect(annotationsOf(log)).toMatchObject([
    { file: 'sites/a b.yaml', line: '1', severity: 'error' },
    { file: 'sites/list.csv', line: '2', column: '11', severity: 'error' },
  ]);
});

test('an unset secret is annotated at its line', async () => {
  const log = await run('plan --require-secrets', {
    'websites.yaml':
      'service: { base_url: local }\nwebsites:\n  - { domain: a.example, privacy: password, password: { env: NOT_SET } }\n',
  });
  expect(annotationsOf(log)).toMatchObject([{ severity: 'error', file: 'websites.yaml', line: '3' }]);
});
