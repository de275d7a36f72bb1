/**
 * Counts the requests of a plan and an apply of one website in a large account (3,001 and 100,000 records): `npx tsx
 * bench/requests.ts`. `--write` writes the results into bench/performance.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'libsql';
import type { Plan } from '../src/model/plan.ts';
import type { Result } from '../src/model/run.ts';
import { mintKey } from '../src/server/key.ts';
import { addressOf, run } from './lib/process.ts';
import { BINARY } from './lib/programs.ts';
import { fillPage } from './lib/results.ts';

const SIZES = [3_001, 100_000];

/** A website that is declared with the others, and its change. */
const CHANGES = [
  { name: 'update', domain: 'site-7.example', line: '{ domain: site-7.example, email: true }' },
  { name: 'create', domain: 'new.example', line: 'new.example' },
  { name: 'delete', domain: 'site-9.example', line: '{ domain: site-9.example, state: absent }' },
] as const;

interface Cost {
  readonly size: number;
  readonly name: string;
  readonly plan: number;
  readonly apply: number;
  readonly seconds: number;
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const costs: Cost[] = [];
for (const size of SIZES) costs.push(...(await measure(size)));
const text = tableOf(costs);
console.log(text);
if (values.write) await fillPage('requests', text);

async function measure(size: number): Promise<Cost[]> {
  const folder = await mkdtemp(join(tmpdir(), 'websites-requests-'));
  const key = mintKey();
  const server = spawn(process.execPath, [BINARY, 'serve', '--port', '0', '--db', 'service.db'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, WEBSITES_API_KEY: key },
  });
  try {
    const env = { WEBSITES_API_KEY: key, WEBSITES_BASE_URL: await addressOf(server) };
    fill(join(folder, 'service.db'), size);
    const measured: Cost[] = [];
    for (const { name, domain, line } of CHANGES) {
      await writeFile(join(folder, 'websites.yaml'), yamlOf(size, domain, line));
      const args = ['--domain', domain, '--format', 'json'];
      const document = async (...argv: string[]): Promise<unknown> => {
        await run({ argv: [BINARY, ...argv, ...args], cwd: folder, env });
        return JSON.parse(await readFile(join(folder, 'stdout.txt'), 'utf8'));
      };
      const { read } = (await document('plan')) as Plan;
      const { requests, seconds } = (await document('apply', '--auto-approve')) as Result;
      measured.push({ size, name, plan: read.requests, apply: requests, seconds });
    }
    return measured;
  } finally {
    if (server.exitCode === null && server.kill()) await once(server, 'exit');
    await rm(folder, { recursive: true });
  }
}

/** Writes records directly, without a request for each. */
function fill(file: string, size: number): void {
  const database = new Database(file, { timeout: 5000 });
  database.exec(`
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${size})
    INSERT INTO websites (domain, privacy, email, exclude_bots, created_at, updated_at)
    SELECT 'site-' || i || '.example', 1, 0, 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00' FROM n`);
  database.close();
}

function yamlOf(size: number, changed: string, line: string): string {
  const others = Array.from({ length: size }, (_, index) => `site-${index}.example`);
  const lines = [...others.filter((domain) => domain !== changed), line];
  return `version: 1\nwebsites:\n${lines.map((one) => `  - ${one}\n`).join('')}`;
}

function tableOf(rows: readonly Cost[]): string {
  const lines = rows.map(
    ({ size, name, plan, apply }) =>
      `| ${name} | ${size.toLocaleString('en')} | ${plan} | ${apply} | ${Math.ceil(size / 100).toLocaleString('en')} |`,
  );
  return [
    '| one | among | requests of a plan | requests of an apply | requests of a list |',
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
