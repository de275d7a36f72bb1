/**
 * Measures each step from a list of names to an empty plan, on the service itself: `npx tsx bench/onboarding.ts
 * [LIST]`. LIST has one name per line, and is generated if missing; junk is added as in real lists. `--write` writes
 * the results into bench/performance.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mintKey } from '../src/server/key.ts';
import { recordAt } from './lib/data.ts';
import { addressOf, run } from './lib/process.ts';
import { BINARY } from './lib/programs.ts';
import { type Step, stepsText } from './lib/report.ts';
import { fillPage } from './lib/results.ts';

const MADE_UP = 75_000;
/** Maximum length of output, in characters. Longer output is a file. */
const MAX_SHOWN = 20_000;

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [list] = positionals;
const folder = await mkdtemp(join(tmpdir(), 'websites-onboarding-'));
const key = mintKey();
const server = spawn(process.execPath, [BINARY, 'serve', '--port', '0', '--db', 'service.db'], {
  cwd: folder,
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { ...process.env, WEBSITES_API_KEY: key },
});
try {
  const env = { WEBSITES_API_KEY: key, WEBSITES_BASE_URL: await addressOf(server) };
  const names = withJunk(list === undefined ? madeUp() : namesOf(await readFile(list, 'utf8')));
  await writeFile(join(folder, 'list.txt'), `${names.join('\n')}\n`);
  await writeFile(join(folder, 'websites.yaml'), 'version: 1\n\nwebsites:\n');
  const steps: Step[] = [];
  const step = async (name: string, ...argv: string[]): Promise<void> => {
    const cost = await run({ argv: [BINARY, ...argv], cwd: folder, env });
    steps.push({ name, ...cost, told: await lastLine() });
    console.error(`${name}: ${cost.seconds.toFixed(1)} s`);
  };
  await step('import', 'import', 'list.txt', '--into', 'websites.yaml');
  await step('plan', 'plan');
  await step('apply', 'apply', '--auto-approve', '--parallelism', '16');
  await step('plan again', 'plan', '--detailed-exitcode');
  await step('export', 'export');
  await copyFile(join(folder, 'stdout.txt'), join(folder, 'exported.yaml'));
  await step('plan of the export', 'plan', '-f', 'exported.yaml', '--detailed-exitcode');
  const text = `${names.length.toLocaleString('en')} lines.\n\n${stepsText(steps)}`;
  console.log(text);
  if (values.write) await fillPage('onboarding', text);
} finally {
  if (server.exitCode === null && server.kill()) await once(server, 'exit');
  await rm(folder, { recursive: true });
}

/** An export writes nothing but itself to standard output. */
async function lastLine(): Promise<string> {
  const [out = '', err = ''] = await Promise.all(
    ['stdout.txt', 'stderr.txt'].map((file) => readFile(join(folder, file), 'utf8')),
  );
  const text = out === '' || out.length > MAX_SHOWN ? err : out;
  return text.trim().split('\n').at(-1) ?? '';
}

function namesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line !== '');
}

function madeUp(): string[] {
  return Array.from({ length: MADE_UP }, (_, index) => recordAt(index).domain);
}

/** Adds a line of junk of each kind in turn, after every hundredth name. */
function withJunk(names: readonly string[]): string[] {
  const sorts: readonly ((name: string) => string)[] = [
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => `https://${name}/path?query=1`,
    () => '',
    () => '# a comment',
    () => '203.0.113.7',
    () => 'co.uk',
    (name) => `bücher-${name}`,
    () => 'not a domain',
  ];
  return names.flatMap((name, index) => {
    const sort = index % 100 === 99 ? sorts[Math.floor(index / 100) % sorts.length] : undefined;
    return sort === undefined ? [name] : [name, sort(name)];
  });
}
