/** The loop as a process: signals, a kill, two at once, and a checkout that moves. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type ActingOptions, type ActingService, act } from '../support/acting-service.ts';
import { runBuilt } from '../support/built.ts';
import { MAIN, ownEnvironment, type Running, startCli, testFolder } from '../support/cli.ts';

const KEY = 'do-not-print-this-key';
const DOMAINS = Array.from({ length: 12 }, (_, number) => `site-${number}.example`);
const fileOf = (domains: readonly string[]): string => `version: 1\nwebsites: [${domains.join(', ')}]\n`;

async function place(options: ActingOptions = {}) {
  const service = await act({ key: KEY, ...options });
  const folder = await testFolder({ 'websites.yaml': fileOf(DOMAINS) });
  const env = { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: KEY };
  return { service, folder, env };
}

type Line = Record<string, unknown>;

/** Starts the loop; `until` waits for a line of its log. */
function startLoop(flags: readonly string[], cwd: string, env: Record<string, string>) {
  const own = { WEBSITES_INTERVAL: '1s', WEBSITES_LOG_FORMAT: 'json' };
  const running: Running = startCli(['reconcile', ...flags], { cwd, env: { ...own, ...env } });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const lines: Line[] = [];
  let wake = (): void => undefined;
  createInterface({ input: running.child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    wake();
  });
  const until = async (isMeant: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const found = lines.find(isMeant);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { ...running, lines, until };
}

/** What a line says, and which pass ended how. */
const says = (text: string) => (line: Line) => `${line.msg} ${line.pass} ${line.outcome}`.includes(text);
/** Every declared website has one record. */
const expectEachOnce = (service: ActingService) =>
  expect(
    service
      .records()
      .map(({ domain }) => domain)
      .sort(),
  ).toEqual([...DOMAINS].sort());
const writes = (service: ActingService) => service.requests.filter(({ method }) => method !== 'GET');

test('SIGTERM: what is under way is finished and told, nothing begins, exit 0', async () => {
  const { service, folder, env } = await place({
    faults: ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 400 } : undefined),
  });
  const loop = startLoop(['--parallelism', '2', '--listen', '127.0.0.1:0'], folder, env);
  const url = String((await loop.until(says('started'))).url);
  await loop.until(says('create done'));
  loop.child.kill('SIGTERM');
  await loop.until(says('draining'));
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, 'not ok: draining\n']);
  const sent = writes(service).length;
  const { code, stderr } = await loop.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(KEY);
  const { created = 0 } = loop.lines.at(-1) as { created?: number };
  expect(loop.lines.at(-1)).toMatchObject({ level: 'warn', pass: 1, outcome: 'interrupted' });
  expect(writes(service)).toHaveLength(sent);
  expect(service.records()).toHaveLength(created);
  expect(created).toBeLessThan(DOMAINS.length);

  // The next one does the rest.
  service.faults = undefined;
  const ran = await runBuilt(['reconcile', '--once'], { cwd: folder, env });
  expect(ran.code).toBe(0);
  expectEachOnce(service);
});

test('a second signal leaves at once', async () => {
  const { folder, env } = await place({ faults: () => ({ kind: 'hang', when: 'before' }) });
  const loop = startLoop([], folder, env);
  await loop.until(says('started'));
  loop.child.kill('SIGINT');
  await loop.until(says('draining'));
  loop.child.kill('SIGINT');
  expect((await loop.ended).code).toBe(130);
});

test.each([
  ['that is to apply', [], 0],
  ['that only looks', ['--dry-run'], 0],
  ['that is the only one', ['--once'], 130],
])(
  'SIGTERM ends a pass %s at once that waits out what the service asks for while it lists',
  async (_, flags, exit) => {
    const { service, folder, env } = await place({
      faults: () => ({ kind: 'throttle', seconds: 600, headers: 'laravel' }),
    });
    const loop = startLoop(flags, folder, env);
    await expect.poll(() => service.requests.length, { timeout: 20_000 }).toBe(1);
    loop.child.kill('SIGTERM');
    expect((await loop.ended).code).toBe(exit);
    expect(loop.lines.at(-1)).toMatchObject({ pass: 1, outcome: 'interrupted' });
  },
);

test.each([
  ['page by page', { paging: 'cursor', largestPage: 10 }, 100],
  ['record by record', { hiddenInList: ['exclude_bots'] }, 0],
] as const)(
  'SIGTERM ends a pass with the request that is under way, where it reads %s',
  async (_, dialect, others) => {
    const { service, folder, env } = await place({
      dialect,
      records: Array.from({ length: others }, (_, number) => `other-${number}.example`).concat(DOMAINS),
      faults: () => ({ kind: 'delay', ms: 250 }),
    });
    writeFileSync(join(folder, 'websites.yaml'), `defaults: { exclude_bots: true }\n${fileOf(DOMAINS)}`);
    const loop = startLoop(['--parallelism', '1'], folder, env);
    await expect.poll(() => service.requests.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    loop.child.kill('SIGTERM');
    await loop.until(says('draining'));
    const sent = service.requests.length;
    expect((await loop.ended).code).toBe(0);
    expect(service.requests.length).toBeLessThanOrEqual(sent + 1);
    expect(loop.lines.at(-1)).toMatchObject({ pass: 1, outcome: 'interrupted', code: 'interrupted' });
  },
);

test('SIGTERM in a pause ends it at once', async () => {
  const { folder, env } = await place();
  const loop = startLoop(['--interval', '1h'], folder, env);
  await loop.until(says(' 1 converged'));
  loop.child.kill('SIGTERM');
  expect((await loop.ended).code).toBe(0);
});

test('a loop that was killed is followed by one that waits its requests out, says so once, and doubles nothing', async () => {
  const { service, folder, env } = await place({
    dialect: { unique: false },
    faults: ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 300 } : undefined),
  });
  const killed = startLoop(['--parallelism', '4', '--request-timeout', '2s'], folder, env);
  await killed.until(says('create done'));
  killed.child.kill('SIGKILL');
  await killed.ended;
  const next = startLoop(['--request-timeout', '2s'], folder, env);
  await next.until(says(' 2 converged'));
  next.child.kill('SIGTERM');
  expect((await next.ended).code).toBe(0);
  expect(next.lines.filter(says('was killed'))).toHaveLength(1);
  expectEachOnce(service);
});

test('two at once on one folder do not fight: one works, the other skips', async () => {
  const { service, folder, env } = await place({
    // A second record for one domain would be taken.
    dialect: { unique: false },
    faults: ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 150 } : undefined),
  });
  const loops = [1, 2].map(() => startLoop(['--parallelism', '1'], folder, env));
  await Promise.all(
    loops.map((loop) => loop.until((line) => says('converged')(line) || says('locked')(line))),
  );
  // Others change things meanwhile; whoever comes first mends them.
  for (const record of service.records().slice(0, 4)) service.remove(record.id);
  await Promise.all(
    loops.map((loop) => loop.until((line) => says('converged')(line) && line.unchanged === DOMAINS.length)),
  );
  for (const { child } of loops) child.kill('SIGTERM');
  for (const { ended } of loops) expect((await ended).code).toBe(0);
  const lines = loops.flatMap((loop) => loop.lines);
  expect(lines.some(says('locked'))).toBe(true);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  expectEachOnce(service);
  const journalled = lines.filter(says('create done'));
  expect(writes(service)).toHaveLength(journalled.length);
});

test('keeps to the file that it found at first: one of a folder above never stands in for it', async () => {
  const { service, folder, env } = await place();
  const staging = join(folder, 'staging');
  mkdirSync(staging);
  writeFileSync(join(folder, 'websites.yaml'), `prune: true\n${fileOf(['production.example'])}`);
  const file = join(staging, 'websites.yaml');
  writeFileSync(file, fileOf(['a.example', 'b.example']));
  const loop = startLoop([], staging, env);
  await loop.until(says(' 1 converged'));
  renameSync(file, join(staging, 'renamed.yaml'));
  expect(await loop.until((line) => line.pass === 2)).toMatchObject({
    outcome: 'failed',
    code: 'config-missing',
  });
  writeFileSync(file, fileOf(['a.example', 'b.example', 'c.example']));
  await loop.until(({ created }) => created === 1);
  loop.child.kill('SIGTERM');
  expect((await loop.ended).code).toBe(0);
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'b.example', 'c.example']);
  expect(existsSync(join(folder, '.websites'))).toBe(false);
});

test('goes on while its files declare targets, or its key file holds no key', async () => {
  const { service, folder, env } = await place();
  const [file, key] = [join(folder, 'websites.yaml'), join(folder, 'key')];
  writeFileSync(key, KEY);
  const loop = startLoop(['--api-key-file', key], folder, { WEBSITES_BASE_URL: env.WEBSITES_BASE_URL });
  await loop.until(says(' 1 converged'));
  writeFileSync(file, `targets: { blue: {} }\n${fileOf(DOMAINS)}`);
  expect(await loop.until(says(' failed'))).toMatchObject({
    code: 'usage',
    error: expect.stringContaining('declares targets'),
  });
  writeFileSync(file, fileOf(DOMAINS));
  writeFileSync(key, `${KEY}\n${KEY}\n`);
  expect(await loop.until(({ error }) => /API key/.test(String(error)))).toMatchObject({ outcome: 'failed' });
  writeFileSync(key, KEY);
  writeFileSync(file, fileOf([...DOMAINS, 'new.example']));
  await loop.until(({ created }) => created === 1);
  loop.child.kill('SIGTERM');
  const { code, stderr } = await loop.ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(KEY);
  expect(service.records()).toHaveLength(DOMAINS.length + 1);
});

const git = (at: string, ...args: string[]) =>
  execFileSync('git', ['-C', at, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    stdio: 'pipe',
  });

test('with Git it follows the branch, and skips what it cannot pull, or is not committed', async () => {
  const { service, folder, env } = await place();
  const [origin, checkout] = [join(folder, 'origin'), join(folder, 'checkout')];
  mkdirSync(origin);
  const commit = (text: string): void => {
    writeFileSync(join(origin, 'websites.yaml'), text);
    git(origin, 'add', '.');
    git(origin, 'commit', '--quiet', '--message', 'change');
  };
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  commit(fileOf(['a.example']));
  git(folder, 'clone', '--quiet', origin, checkout);
  const loop = startLoop(['--git'], checkout, env);
  await loop.until(says(' 1 converged'));
  commit(fileOf(['a.example', 'b.example']));
  await loop.until((line) => line.msg === 'create done' && line.domain === 'b.example');
  writeFileSync(join(checkout, 'websites.yaml'), fileOf(['edited-here.example']));
  expect(await loop.until((line) => line.code === 'pull-failed')).toMatchObject({ level: 'error' });
  git(checkout, 'checkout', '--quiet', '.');
  commit(fileOf(['a.example', 'b.example', 'c.example']));
  await loop.until((line) => line.msg === 'create done' && line.domain === 'c.example');
  loop.child.kill('SIGTERM');
  expect((await loop.ended).code).toBe(0);
  const listed = await runBuilt(['runs', '--format', 'json'], { cwd: checkout, env });
  const { runs } = JSON.parse(listed.stdout) as { runs: { made_by: { commit: string } }[] };
  expect(runs.at(-1)?.made_by.commit).toBe(git(checkout, 'rev-parse', 'HEAD').toString().trim());
  writeFileSync(join(checkout, 'extra.yaml'), fileOf(['not-committed.example']));
  const ran = await runBuilt(['reconcile', '--git', '--once', '-f', '.'], { cwd: checkout, env });
  expect(ran).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has uncommitted changes: extra.yaml.'),
  });
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'b.example', 'c.example']);
});

test('Ctrl-C on a terminal leaves no half of a commit in the checkout', async () => {
  const { folder, env } = await place();
  const [origin, checkout] = [join(folder, 'origin'), join(folder, 'checkout')];
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')];
  mkdirSync(origin);
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  const commit = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(origin, name), text);
    git(origin, 'add', '.');
    git(origin, 'commit', '--quiet', '--message', 'change');
  };
  commit({
    '.gitattributes': '*.slow filter=slow\n',
    'a.slow': 'one',
    'websites.yaml': fileOf(['a.example']),
  });
  git(folder, 'clone', '--quiet', origin, checkout);
  git(
    checkout,
    'config',
    'filter.slow.smudge',
    `touch ${begun}; until [ -f ${go} ]; do sleep 0.05; done; cat`,
  );
  commit({ 'a.slow': 'two', 'websites.yaml': fileOf(['b.example']) });
  // As a shell does it: a group, to all of which the terminal sends the signal.
  const options = { cwd: checkout, env: { ...ownEnvironment(), ...env }, detached: true } as const;
  const child = spawn(process.execPath, [MAIN, 'reconcile', '--git'], { ...options, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!existsSync(begun)) await delay(50);
  process.kill(-(child.pid as number), 'SIGINT');
  await delay(500);
  writeFileSync(go, '');
  expect(await ended).toEqual([0, null]);
  expect(git(checkout, 'status', '--porcelain').toString()).toBe('');
});
