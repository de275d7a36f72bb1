/**
 * The barest apply of creates: file, list, plan, text, journal, writes, verification. It reads files of this bench
 * only, and has no other safety: no retries, limits, guards, lock or hidden secrets.
 */
import { createHash } from 'node:crypto';
import { closeSync, fdatasync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createTransport } from '../../src/client/http/transport.ts';

const [port = '', width = ''] = process.argv.slice(2);
const parallelism = Number(width);
const PATH = '/api/v1/websites';
/** Changes that are journaled together, ahead of their turn. */
const AHEAD = 64;

interface Wanted {
  readonly domain: string;
  readonly line: number;
  /** By their names in requests. */
  readonly settings: Record<string, string>;
}

interface Shown {
  readonly id: number;
  readonly domain: string;
}

const to = { origin: `http://127.0.0.1:${port}` };
const transport = createTransport({ connections: parallelism, connectTimeoutMs: 10_000, environment: {} });
const READING = ['accept', 'application/json', 'authorization', 'Bearer bench'];
const WRITING = [...READING, 'content-type', 'application/x-www-form-urlencoded'];

async function send(method: 'GET' | 'POST', path: string, body?: string): Promise<unknown> {
  const headers = body === undefined ? READING : WRITING;
  const reply = await transport.send({ method, to: { ...to, path }, headers, body, timeoutMs: 30_000 });
  if (reply.kind !== 'answer' || reply.status >= 300) throw new Error(`${method} ${path}: ${reply.kind}`);
  return JSON.parse(reply.body);
}

async function inParallel(work: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: parallelism }, work));
}

async function list(): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const take = async (page: number): Promise<number> => {
    const path = `${PATH}?per_page=100&sort_by=id&sort=desc&page=${page}`;
    const { data, meta } = (await send('GET', path)) as { data: Shown[]; meta: { last_page: number } };
    for (const { domain, id } of data) ids.set(domain, id);
    return meta.last_page;
  };
  const last = await take(1);
  let next = 2;
  await inParallel(async () => {
    while (next <= last) await take(next++);
  });
  return ids;
}

/** Declared by the bench's files for all records. */
const DEFAULTS = { privacy: '1', email: '0', exclude_bots: '1' };
const WORDS: Readonly<Record<string, string>> = {
  ...{ public: '0', private: '1', password: '2' },
  ...{ false: '0', true: '1' },
};

/** Encodes words as numbers, lists as one item per line, and a password from its variable. */
function wireOf(value: string): string {
  const variable = /^\{ env: (\w+) \}$/.exec(value)?.[1];
  if (variable !== undefined) return process.env[variable] ?? '';
  return WORDS[value] ?? value.replace(/^\[(.*)\]$|Z$/, '$1').replaceAll(', ', '\n');
}

function formOf({ settings }: Wanted): string {
  const pairs = Object.entries(settings).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.join('&');
}

function readWanted(): Wanted[] {
  const wanted: Wanted[] = [];
  const lines = readFileSync('websites.yaml', 'utf8').split('\n');
  for (const [index, line] of lines.entries()) {
    const domain = /^ {2}- (?:domain: )?(\S+)$/.exec(line)?.[1];
    const setting = /^ {4}(\w+): (.*)$/.exec(line);
    if (domain !== undefined) {
      wanted.push({ domain, line: index + 1, settings: { domain, ...DEFAULTS } });
    } else if (setting !== null) {
      const [, name = '', value = ''] = setting;
      const last = wanted.at(-1);
      if (last !== undefined) last.settings[name] = wireOf(value);
    }
  }
  return wanted;
}

function openJournal(plan: string, changes: readonly Wanted[]) {
  mkdirSync('.websites/runs', { recursive: true });
  const file = openSync(`.websites/runs/${process.pid}.ndjson`, 'w');
  const written: Promise<void>[] = [];
  let ends = '';
  const sync = (): Promise<void> =>
    new Promise((resolve, reject) => {
      fdatasync(file, (error) => (error ? reject(error) : resolve()));
    });
  const writeAhead = (): void => {
    const at = new Date().toISOString();
    const from = written.length;
    const some = changes.slice(from, from + AHEAD);
    const begun = some.map(({ domain }, index) => JSON.stringify({ begin: from + index, domain, at }));
    writeSync(file, `${begun.join('\n')}\n`);
    const isWritten = sync();
    written.push(...some.map(() => isWritten));
  };
  return {
    async open(): Promise<void> {
      writeSync(file, `${plan}\n`);
      await sync();
    },
    begin(index: number): Promise<void> | undefined {
      if (written.length < Math.min(changes.length, index + AHEAD / 2)) writeAhead();
      return written[index];
    },
    end(index: number, id: number): void {
      ends += `${JSON.stringify({ end: index, outcome: 'done', id })}\n`;
      if (ends.length < 4096) return;
      writeSync(file, ends);
      ends = '';
    },
    async close(): Promise<void> {
      writeSync(file, ends);
      await sync();
      closeSync(file);
    },
  };
}

const wanted = readWanted();
const current = await list();
const changes = wanted.filter(({ domain }) => !current.has(domain));
const plan = JSON.stringify(changes);
const digest = createHash('sha256').update(plan).digest('hex');
process.stdout.write(`${changes.map(({ domain }) => `  + ${domain}\n`).join('')}Plan ${digest}\n`);
const journal = openJournal(plan, changes);
await journal.open();
const ids: number[] = [];
let next = 0;
await inParallel(async () => {
  while (next < changes.length) {
    const index = next++;
    const change = changes[index] as Wanted;
    await journal.begin(index);
    const { data } = (await send('POST', PATH, formOf(change))) as { data: Shown };
    ids[index] = data.id;
    journal.end(index, data.id);
  }
});
await journal.close();
const after = await list();
for (const [index, { domain }] of changes.entries()) {
  if (after.get(domain) !== ids[index]) throw new Error(`${domain} is not as it was sent.`);
}
transport.close();
