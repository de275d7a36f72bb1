/** Runs every command of docs/service.md in order, in one folder, and checks what the page promises. */
import { execFile, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, read } from '../docs/pages.ts';
import { temporaryFolder } from '../support/service.ts';
import { type Served, serve, websites } from './websites.ts';

const PAGE = read('docs/service.md');
const COMMANDS = blocksOf(PAGE)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ body }) => body.trim().split('\n'));

const run = promisify(execFile);
const lacks = (program: string): boolean => spawnSync(program, ['--version']).status !== 0;

let folder: string;
let served: Served | undefined;

async function stop(): Promise<void> {
  served?.child.kill('SIGTERM');
  if (served !== undefined) expect(await served.exit).toEqual([0, null]);
  served = undefined;
}

/** Checks of commands by their beginning. The first match counts. */
const WAYS: readonly (readonly [beginning: RegExp, way: (rest: string) => Promise<void>])[] = [
  [
    /^websites (?=serve(?: --|$))/,
    async (words) => {
      await stop();
      served = await serve(folder, words);
    },
  ],
  [
    /^websites /,
    async (words) => {
      const { code, err } = await websites(folder, words);
      expect([code, err]).toEqual([0, expect.not.stringContaining('rror')]);
    },
  ],
  [
    /^(?=sqlite3 )/,
    async (command) => {
      await run('bash', ['-c', command], { cwd: folder });
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
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

test('docs/service.md contains more than three commands to run', () => {
  expect(COMMANDS.length).toBeGreaterThan(3);
});

for (const line of COMMANDS) {
  const [program = ''] = line.split(' ', 1);
  test.skipIf(program !== 'websites' && lacks(program))(line, async () => {
    const [beginning = /^/, way] = WAYS.find(([start]) => start.test(line)) ?? [];
    expect(way, 'is a command that is known here').toBeDefined();
    await way?.(line.replace(beginning, ''));
  });
}
