/** Every command of docs/service.md does what the page says: all in their order, in one folder. */
import { execFile, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, read } from '../docs/pages.ts';
import { POSTGRES_PROGRAMS, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Served, serve, websites } from './websites.ts';

const PAGE = read('docs/service.md');
const COMMANDS = blocksOf(PAGE)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line) => ({ line, needsPostgres: body.includes('postgres:') })),
  );

const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).status === 0;

let folder: string;
let postgres: PostgresServer | undefined;
let served: Served | undefined;
const env: Record<string, string> = {};

async function stop(): Promise<void> {
  served?.child.kill('SIGTERM');
  if (served !== undefined) expect(await served.exit).toEqual([0, null]);
  served = undefined;
}

/** What is done with a command, by its beginning; the first that fits. */
const WAYS: readonly (readonly [beginning: RegExp, way: (rest: string) => Promise<void>])[] = [
  [
    /^export WEBSITES_DB='/,
    async () => {
      env.WEBSITES_DB = (await postgres?.freshUrl()) ?? '';
    },
  ],
  [
    /^websites (?=serve(?: --|$))/,
    async (words) => {
      await stop();
      served = await serve(folder, words, env);
    },
  ],
  [
    /^websites /,
    async (words) => {
      const { code, err } = await websites(folder, words, env);
      expect([code, err]).toEqual([0, expect.not.stringContaining('rror')]);
    },
  ],
  [
    /^curl /,
    async (rest) => {
      const command = `curl --silent --show-error ${rest.replace('http://127.0.0.1:8080', served?.url ?? '')}`;
      const { stdout } = await run('bash', ['-c', command], { cwd: folder });
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    },
  ],
];

beforeAll(async () => {
  folder = await temporaryFolder();
  if (POSTGRES_PROGRAMS !== undefined) postgres = await startPostgres();
});
afterAll(async () => {
  await stop();
  await postgres?.close();
  await rm(folder, { recursive: true, force: true });
});

test('there are commands', () => {
  expect(COMMANDS.length).toBeGreaterThan(10);
});

for (const { line, needsPostgres } of COMMANDS) {
  const cannot = (needsPostgres && POSTGRES_PROGRAMS === undefined) || (line.startsWith('curl ') && !hasCurl);
  test.skipIf(cannot)(line, async () => {
    const [beginning = /^/, way] = WAYS.find(([start]) => start.test(line)) ?? [];
    expect(way, 'is a command that is known here').toBeDefined();
    await way?.(line.replace(beginning, ''));
  });
}
