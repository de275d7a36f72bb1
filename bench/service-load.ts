/**
 * Measures the service as a multiple of a bare node:http server that sends the same bytes: `npx tsx
 * bench/service-load.ts`. Both run in their own processes, in turn, for a fixed number of requests, in under two
 * minutes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { FORM_TYPE, WEBSITES_PATH } from '../src/model/contract.ts';
import { mintKey } from '../src/server/key.ts';
import { DEFAULTS } from '../src/server/schema.ts';
import { openStore } from '../src/server/store.ts';
import { addressOf, median } from './lib/process.ts';

const RECORDS = 1000;
const CONNECTIONS = 16;
const RUNS = 7;
const MAX_SECONDS = 120;

interface Work {
  readonly name: string;
  readonly requests: number;
  request(index: number): Request;
}

interface Request {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly body?: string;
}

const idOf = (index: number): number => (index % RECORDS) + 1;

const WORKS: readonly Work[] = [
  {
    name: 'list a page of 100',
    requests: 1000,
    request: (index) => ({
      method: 'GET',
      path: `${WEBSITES_PATH}?per_page=100&sort_by=id&sort=desc&page=${(index % (RECORDS / 100)) + 1}`,
    }),
  },
  {
    name: 'read one',
    requests: 3000,
    request: (index) => ({ method: 'GET', path: `${WEBSITES_PATH}/${idOf(index)}` }),
  },
  {
    name: 'update one',
    requests: 2000,
    request: (index) => ({
      method: 'PUT',
      path: `${WEBSITES_PATH}/${idOf(index)}`,
      body: `privacy=${index % 2}&exclude_ips=192.0.2.${index % 200}`,
    }),
  },
];

/** Reads its responses, by method and path, from standard input; reads request bodies to their end. */
const BARE_SERVER = `
  import { createServer } from 'node:http';
  import { text } from 'node:stream/consumers';
  const answers = new Map(JSON.parse(await text(process.stdin)));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, headers, body } = answers.get(request.method + ' ' + request.url);
      response.writeHead(status, headers).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => console.error('http://127.0.0.1:' + server.address().port));`;

const key = mintKey();
const HEADERS = { authorization: `Bearer ${key}`, accept: 'application/json', 'content-type': FORM_TYPE };

const folder = await mkdtemp(join(tmpdir(), 'websites-load-'));
const children: ChildProcess[] = [];
const overdue = setTimeout(() => {
  console.error(`Not done after ${MAX_SECONDS} s.`);
  process.exitCode = 1;
  for (const child of children) child.kill();
}, MAX_SECONDS * 1000);
try {
  await main();
} finally {
  clearTimeout(overdue);
  for (const child of children) child.kill();
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  await rm(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const db = join(folder, 'load.db');
  await seed(db);
  const service = await startService(db);
  const bare = await startBare(await answersOf(service));
  console.log(`${RECORDS} records, ${CONNECTIONS} connections, medians of ${RUNS} interleaved runs\n`);
  console.log('work                  requests   service/s      bare/s   time, ratio to bare');
  for (const work of WORKS) {
    const times: { service: number; bare: number }[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      times.push({ service: await timeOf(service, work), bare: await timeOf(bare, work) });
    }
    const counted = times.slice(1);
    const rate = (seconds: number): string => (work.requests / seconds).toFixed(0).padStart(9);
    const [ours, theirs] = [
      median(counted.map((time) => time.service)),
      median(counted.map((time) => time.bare)),
    ];
    const ratio = median(counted.map((time) => time.service / time.bare)).toFixed(2);
    console.log(
      `${work.name.padEnd(20)}  ${String(work.requests).padStart(8)}   ${rate(ours)}   ${rate(theirs)}   ${ratio}`,
    );
  }
  await Promise.all([service.close(), bare.close()]);
}

async function seed(db: string): Promise<void> {
  const store = await openStore(db);
  const now = '2026-01-31T09:00:00Z';
  await Promise.all(
    Array.from({ length: RECORDS }, (_, index) =>
      store.create(`site-${index}.example`, { ...DEFAULTS, exclude_ips: '192.0.2.1\n198.51.100.0/24' }, now),
    ),
  );
  await store.close();
}

function startService(db: string): Promise<Pool> {
  const main = join(import.meta.dirname, '../src/cli/main.ts');
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), main, 'serve', '--port', '0', '--db', db],
    { stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, WEBSITES_API_KEY: key } },
  );
  return poolOf(child);
}

async function startBare(answers: readonly unknown[]): Promise<Pool> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', BARE_SERVER], {
    stdio: ['pipe', 'inherit', 'pipe'],
  });
  child.stdin.end(JSON.stringify(answers));
  return poolOf(child);
}

async function poolOf(child: ChildProcess): Promise<Pool> {
  children.push(child);
  return new Pool(await addressOf(child), { connections: CONNECTIONS });
}

/** Records the response to every later request, by method and path. */
async function answersOf(service: Pool): Promise<readonly unknown[]> {
  const answers = new Map<string, unknown>();
  for (const work of WORKS) {
    for (let index = 0; index < Math.min(work.requests, RECORDS); index += 1) {
      const request = work.request(index);
      const name = `${request.method} ${request.path}`;
      if (answers.has(name)) continue;
      const { statusCode, headers, body } = await service.request({ ...request, headers: HEADERS });
      const { date: _, connection: __, 'keep-alive': ___, ...kept } = headers;
      answers.set(name, { status: statusCode, headers: kept, body: await body.text() });
    }
  }
  return [...answers];
}

/** Measures the seconds of all requests of `work`, with one at a time per connection. */
async function timeOf(pool: Pool, work: Work): Promise<number> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < work.requests) {
      const request = work.request(next);
      next += 1;
      const { statusCode, body } = await pool.request({ ...request, headers: HEADERS });
      await body.dump();
      if (statusCode !== 200) throw new Error(`${request.path} answered ${statusCode}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return (performance.now() - start) / 1000;
}
