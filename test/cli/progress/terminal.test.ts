/** The built program on a real pseudo terminal, and on pipes. */
import { afterEach, describe, expect, test } from 'vitest';
import { runBuilt } from '../../support/built.ts';
import { testFolder } from '../../support/cli.ts';
import { screenOf } from '../../support/screen.ts';
import { type Fault, type ScriptedService, startScriptedService } from '../../support/scripted-service.ts';
import { HAS_TERMINAL, runOnTerminal } from '../../support/terminal.ts';

const KEY = 'key-of-the-terminal-test';
const names = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}.example`);

let service: ScriptedService;

afterEach(() => service.close());

/** A service with the records `current`, and a directory whose file declares `desired`. */
async function setUp(current: readonly string[], desired: readonly string[]) {
  service = await startScriptedService({ key: KEY, records: current });
  const list = desired.map((domain) => `  - ${domain}\n`).join('');
  const cwd = await testFolder({ 'websites.yaml': `version: 1\nwebsites:\n${list}` });
  return { cwd, env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: KEY } };
}

const later = (ms: number, next?: Fault): Fault => ({ kind: 'delay', ms, ...(next && { next }) });

const BAR = /(?:Listing|Creating|Updating|Deleting) {2}/;
const HIDE_CURSOR = '\x1b[?25l';

/** Expects a final screen without a bar, with the cursor at the start of a line; returns its lines. */
function expectClean(output: string): readonly string[] {
  const { lines, cursorIsShown, column } = screenOf(output);
  expect(cursorIsShown).toBe(true);
  expect(column).toBe(0);
  expect(lines.filter((line) => BAR.test(line))).toEqual([]);
  return lines;
}

describe.skipIf(!HAS_TERMINAL)('a terminal shows progress (skipped without script of util-linux)', () => {
  test('apply draws a bar while it lists and writes, but not at the prompt or at the end', async () => {
    const options = await setUp(names(350, 'old'), [...names(350, 'old'), ...names(120, 'new')]);
    service.faults = ({ method, body }) => {
      if (method === 'GET') return later(60);
      return body.includes('new7.example')
        ? { kind: 'status', status: 422, when: 'before', body: '{"message":"no such thing"}' }
        : later(20);
    };
    const { code, output } = await runOnTerminal(['apply', '--parallelism', '2'], {
      ...options,
      typing: [['to confirm: ', 'yes\n']],
    });
    expect(code).toBe(4);
    expect(output).toMatch(/Listing {2}\[[=-]+\] {2}\d+\/350/);
    expect(output).toMatch(/Creating {2}\[[=-]+\] {2}\d+\/120/);
    expect(output).toContain('1 failed');
    const lines = expectClean(output);
    const question = `Apply these changes to ${service.url}? Type "yes" to confirm: yes`;
    expect(lines).toContain(question);
    expect(lines.filter((line) => line.startsWith('! create failed'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('+ created'))).toEqual([]);
    expect(lines.join('\n')).toContain('119 created');
  });

  test.each([
    ['json', ['--format', 'json']],
    ['human', []],
  ])('apply shows the plan once before the prompt on a terminal (--format %s)', async (_, flags) => {
    const options = await setUp([], ['new.example']);
    const { code, output } = await runOnTerminal(['apply', ...flags], {
      ...options,
      typing: [['to confirm: ', 'no\n']],
    });
    expect(code).toBe(1);
    const lines = screenOf(output).lines.filter((line) => /^\+ create |^Apply these/.test(line));
    expect(lines).toEqual([
      expect.stringMatching(/^\+ create +new\.example/),
      expect.stringMatching(/^Apply these changes to http:/),
    ]);
  });

  test('a plan that fails removes the progress bar and prints the error', async () => {
    const options = await setUp(names(800, 'old'), ['a.example']);
    service.faults = ({ query }) =>
      query.page === '7' ? later(400, { kind: 'status', status: 401, when: 'before' }) : later(30);
    const { code, output } = await runOnTerminal(['plan', '--parallelism', '1'], options);
    expect(code).toBe(3);
    expect(output).toMatch(BAR);
    expect(expectClean(output)[0]).toMatch(/^Error: /);
  });

  test.for([1, 2])('apply removes the bar and shows the cursor after Ctrl-C (pressed: %i)', async (times) => {
    const options = await setUp([], names(60, 'new'));
    let posts = 0;
    service.faults = ({ method }) => {
      if (method !== 'POST') return undefined;
      posts += 1;
      return posts > 20
        ? { kind: 'status', status: 429, when: 'before', headers: { 'retry-after': '600' } }
        : later(20);
    };
    const { code, output } = await runOnTerminal(['apply', '--auto-approve'], {
      ...options,
      typing: [['rate limited', '\x03'], ...(times === 2 ? [['Interrupted', '\x03'] as const] : [])],
    });
    expect(code).toBe(130);
    expect(output).toMatch(/rate limited, resuming in \d+/);
    expect(expectClean(output).join('\n')).toContain('Interrupted: finishing');
  });

  test('the progress bar fits a window of 24 columns', async () => {
    const options = await setUp(names(800, 'old'), ['a.example']);
    service.faults = () => later(40);
    const { output } = await runOnTerminal(['plan', '--parallelism', '1'], { ...options, columns: 24 });
    // The bar is drawn from the start of the line to its end each time.
    const drawn = output.split('\x1b[1G').map((text) => text.split('\x1b')[0] ?? '');
    expect(drawn.some((line) => BAR.test(line))).toBe(true);
    expect(drawn.filter((line) => line.length >= 24)).toEqual([]);
    expectClean(output);
  });

  test.for([{ env: { CI: 'true' } }, { env: { TERM: 'dumb' } }])(
    'no progress bar is drawn with the environment $env',
    async ({ env }) => {
      const options = await setUp(names(250, 'old'), names(250, 'old'));
      service.faults = () => later(40);
      const { code, output } = await runOnTerminal(['plan'], { ...options, env: { ...options.env, ...env } });
      expect(code).toBe(0);
      expect(output).not.toContain(HIDE_CURSOR);
      expect(output).not.toMatch(BAR);
    },
  );
});

test('no progress bar is drawn on pipes, and progress flags leave standard output the same', async () => {
  const options = await setUp(names(250, 'old'), names(20, 'new'));
  const [plain, ...others] = await Promise.all(
    [{}, { WEBSITES_QUIET: '1' }, { WEBSITES_VERBOSE: '1' }].map((env) =>
      runBuilt(['plan'], { ...options, env: { ...options.env, ...env } }),
    ),
  );
  expect(plain).toMatchObject({ code: 0, stderr: '' });
  for (const other of others) expect(other.stdout).toBe(plain?.stdout);
  expect(others[0]?.stderr).toBe('');
  expect(others[1]?.stderr.trim().split('\n').length).toBeGreaterThanOrEqual(3);
});

test('apply with WEBSITES_QUIET prints only its result and failures', async () => {
  const options = await setUp([], names(5, 'new'));
  service.faults = ({ body }) =>
    body.includes('new3.example')
      ? { kind: 'status', status: 422, when: 'before', body: '{"message":"no such thing"}' }
      : undefined;
  const env = { ...options.env, WEBSITES_QUIET: '1' };
  const { stdout, stderr } = await runBuilt(['apply', '--auto-approve'], { ...options, env });
  expect(stderr).toMatch(/^! create failed \(422\) {2}new3\.example\n$/);
  expect(stdout).toContain('4 created');
});

test('apply prints the first 100 changes as they happen, then only failures and notes', async () => {
  const options = await setUp([], names(150, 'new'));
  const large = await runBuilt(['apply', '--auto-approve', '--format', 'json'], options);
  expect(large.stderr).toContain('From here on, only failures and notes of the run are shown.\n');
  expect(large.stderr.match(/^\+ created/gm)).toHaveLength(100);
});

test('apply --format ndjson prints its events only on standard output', async () => {
  const options = await setUp([], names(150, 'new'));
  const { code, stdout, stderr } = await runBuilt(['apply', '--auto-approve', '--format', 'ndjson'], options);
  expect(code).toBe(0);
  expect(stdout.match(/"type":"change_done"/g)).toHaveLength(150);
  expect(stderr).not.toContain('From here on');
});
