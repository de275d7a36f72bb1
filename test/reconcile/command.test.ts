/** `websites reconcile` as a command: one pass, its exit codes, what is written where. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ActingOptions, act } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const KEY = 'do-not-print-this-key';
const FILE = `version: 1
defaults: { privacy: private }
websites: [a.example, b.example]
`;
const THERE = ['a.example', 'b.example'].map((domain) => ({ domain, privacy: 1 }));

async function start(options: ActingOptions = {}, file = FILE) {
  const service = await act({ key: KEY, ...options });
  const folder = await testFolder({ 'websites.yaml': file });
  const env = { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: KEY };
  const run = (...flags: string[]) =>
    runInProcess(['reconcile', '--once', '--log-format', 'json', '--timeout', '1s', ...flags], folder, env);
  return { service, folder, env, run };
}

/** The lines of a log, each as an object. */
const linesOf = (stderr: string): Record<string, unknown>[] =>
  stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('once', () => {
  test('makes it so, and then has nothing to do', async () => {
    const { service, run } = await start();
    const first = await run();
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(linesOf(first.stderr).at(-1)).toMatchObject({ outcome: 'converged', created: 2 });
    expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
    const second = await run();
    expect(second.code).toBe(0);
    expect(linesOf(second.stderr).map(({ msg }) => msg)).toEqual(['started', 'pass ended']);
  });

  test('with dry run it only looks: 2 where there is drift, 0 where there is none', async () => {
    const { service, run, folder } = await start();
    const ran = await run('--dry-run');
    expect(ran.code).toBe(2);
    const lines = linesOf(ran.stderr);
    expect(lines.at(-1)).toMatchObject({ level: 'warn', outcome: 'drift', create: 2 });
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'records differ', service: service.url, files: 'websites.yaml' }),
    );
    expect(lines.filter(({ msg }) => msg === 'create needed')).toHaveLength(2);
    expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(existsSync(join(folder, '.websites'))).toBe(false);
    for (const { domain, privacy } of THERE) service.insert(domain, { privacy });
    expect((await run('--dry-run')).code).toBe(0);
  });

  test.each([
    [
      'a guard refuses',
      5,
      'guard-refused',
      { records: ['a', 'b', 'c', 'd', 'e'].map((x) => `${x}.test`) },
      FILE.replace('websites:', 'prune: true\nwebsites:'),
    ],
    ['the files are wrong', 1, 'config-invalid', {}, `${FILE}nonsense: 1\n`],
    ['the key is refused', 3, 'key-refused', { key: 'another' }, FILE],
    [
      'the service fails',
      1,
      'service-failed',
      { faults: () => ({ kind: 'status', status: 500, when: 'before' }) },
      FILE,
    ],
  ] as const)('where %s the exit code is %i', async (_, exit, code, options, file) => {
    const { service, run } = await start(options as ActingOptions, file);
    const ran = await run();
    expect(ran.code).toBe(exit);
    expect(linesOf(ran.stderr).at(-1)).toMatchObject({ level: 'error', code });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(ran.stderr).not.toContain(KEY);
  });

  test('where changes fail the exit code is 4', async () => {
    const { run } = await start({ dialect: { takenElsewhere: ['b.example'] } });
    const ran = await run();
    expect(ran.code).toBe(4);
    expect(linesOf(ran.stderr)).toContainEqual(
      expect.objectContaining({ msg: 'create failed', domain: 'b.example', status: 422 }),
    );
    expect(linesOf(ran.stderr).at(-1)).toMatchObject({ outcome: 'incomplete', created: 1, failed: 1 });
  });

  test('where the key is refused on the way the exit code is 3', async () => {
    const { run } = await start({
      faults: ({ method }) =>
        method === 'GET' ? undefined : { kind: 'status', status: 401, when: 'before' },
    });
    const ran = await run();
    expect(ran.code).toBe(3);
    const error = expect.stringMatching(/^The run ended: Cannot create .*[^.]\.$/);
    expect(linesOf(ran.stderr).at(-1)).toMatchObject({ outcome: 'failed', code: 'key-refused', error });
  });

  test('what is to be known of the files, and of the plan, is told', async () => {
    const { run } = await start({ records: ['a.example'] }, 'websites: [https://www.a.example/]\n');
    expect(linesOf((await run()).stderr)).toMatchObject([
      { msg: 'started' },
      { level: 'warn', msg: expect.stringContaining('are ignored') },
      { level: 'warn', msg: expect.stringContaining('service.www') },
      { msg: 'pass ended', outcome: 'converged' },
    ]);
  });

  test('what the service silently ignores is named, and the exit code is 4', async () => {
    const file = `version: 1\nwebsites:\n  - { domain: a.example, email: true }\n`;
    const { run } = await start({ records: ['a.example'], dialect: { deaf: ['email'] } }, file);
    const ran = await run();
    expect(ran.code).toBe(4);
    expect(linesOf(ran.stderr).slice(-2)).toMatchObject([
      { level: 'warn', msg: 'a.example: the service ignored email' },
      { msg: 'pass ended', outcome: 'incomplete', updated: 1, failed: 0, residual: 1 },
    ]);
  });

  test('of a long run the first failures are told, in the words of the service', async () => {
    const domains = Array.from({ length: 101 }, (_, number) => `site-${number}.example`);
    const file = `version: 1\nwebsites: [${domains.join(', ')}]\n`;
    const { run } = await start({ dialect: { takenElsewhere: domains } }, file);
    const ran = await run();
    expect(ran.code).toBe(4);
    const failed = linesOf(ran.stderr).filter(({ msg }) => msg === 'create failed');
    expect(failed).toHaveLength(20);
    expect(failed[0]).toMatchObject({ status: 422, reason: expect.stringContaining('already') });
  });

  test('state lies where it is told to', async () => {
    const { run, folder } = await start();
    const state = await testFolder();
    expect((await run('--state-folder', state)).code).toBe(0);
    expect(readdirSync(join(state, '.websites')).sort()).toEqual(['.gitignore', 'locks', 'runs']);
    expect(existsSync(join(folder, '.websites'))).toBe(false);
  });
});

test.each([
  [['--interval', '0'], '--interval is 0 s.'],
  [['--interval', 'soon'], 'Invalid value "soon" for --interval.'],
  [['--jitter', '5'], 'Invalid value "5" for --jitter.'],
  [['--jitter', '120%'], 'Invalid value "120%" for --jitter.'],
  [['--listen', '9090'], 'Invalid value "9090" for --listen.'],
  [['--log-format', 'xml'], 'Invalid value "xml" for --log-format.'],
  [['-f', '-'], 'Standard input can be read only once'],
  [['-f', '/dev/fd/63'], 'Standard input can be read only once'],
  [['--resend-passwords'], 'Unknown flag: --resend-passwords.'],
  [['--parallelism', '0'], 'Invalid value "0" for --parallelism.'],
])('the command line %j is an error, with or without once', async (flags, message) => {
  const { folder, env } = await start();
  for (const once of [['--once'], []]) {
    const ran = await runInProcess(['reconcile', ...once, ...flags], folder, env);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  }
});
