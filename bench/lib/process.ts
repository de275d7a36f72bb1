/** Measures whole processes from outside, as a user sees them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export interface Cost {
  readonly seconds: number;
  /** Includes all threads, and time in the system. */
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

export interface Program {
  readonly argv: readonly string[];
  /** An existing folder; output goes to files in it, as in a script. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const METER = join(import.meta.dirname, '../programs/meter.cjs');

/** Omits variables that slow the start of Node, or color output. */
function environment(more: Program['env'] = {}): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, FORCE_COLOR: ___, ...rest } = process.env;
  return { ...rest, NO_COLOR: '1', ...more };
}

/** Throws if the exit code is not 0, with the text of standard error. */
export async function run({ argv, cwd, env }: Program): Promise<Cost> {
  const errors = join(cwd, 'stderr.txt');
  const [out, err] = await Promise.all([open(join(cwd, 'stdout.txt'), 'w'), open(errors, 'w')]);
  try {
    const started = performance.now();
    const child = spawn(process.execPath, ['--require', METER, ...argv], {
      cwd,
      env: environment(env),
      stdio: ['ignore', out.fd, err.fd, 'pipe'],
    });
    const told = text(child.stdio[3] as NodeJS.ReadableStream);
    const [code] = (await once(child, 'exit')) as [number | null];
    const seconds = (performance.now() - started) / 1000;
    if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}\n${await readFile(errors, 'utf8')}`);
    return { seconds, ...(JSON.parse(await told) as Omit<Cost, 'seconds'>) };
  } finally {
    await Promise.all([out.close(), err.close()]);
  }
}

/** Reads the address that a service prints to standard error, and no more. */
export async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Standard error is not a pipe.');
  for await (const line of createInterface({ input: stderr })) {
    const url = /http:\/\/[\d.:]+/.exec(line)?.[0];
    if (url !== undefined) {
      stderr.resume();
      return url;
    }
    console.error(line);
  }
  throw new Error('The service did not start.');
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function medianCost(costs: readonly Cost[]): Cost {
  return {
    seconds: median(costs.map(({ seconds }) => seconds)),
    cpuSeconds: median(costs.map(({ cpuSeconds }) => cpuSeconds)),
    peakMb: median(costs.map(({ peakMb }) => peakMb)),
  };
}
