/** Runs `websites` command lines from the source, in this process or in a separate one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { bundle } from '../support/bundle.ts';
import { runInProcess } from '../support/in-process.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

type Env = Readonly<Record<string, string>>;

/** Runs one command line in `cwd` with only `env`. */
export async function websites(cwd: string, words: string, env: Env = {}) {
  const { code, stdout: out, stderr: err } = await runInProcess(words.split(' '), cwd, env);
  return { code, out, err };
}

export interface Served {
  readonly url: string;
  /** Lines of standard error so far. */
  readonly lines: readonly string[];
  readonly child: ChildProcess;
  /** Resolves to the exit code and the signal. */
  readonly exit: Promise<unknown[]>;
}

/** Starts `websites serve …` on a free port; returns once it serves. */
export async function serve(cwd: string, words: string, env: Env = {}): Promise<Served> {
  const child = spawn(process.execPath, [await bundle(MAIN), ...words.split(' ')], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, WEBSITES_PORT: '0', ...env },
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  await expect.poll(() => lines.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const url = /http:\/\/[\d.:]+/.exec(lines[0] ?? '')?.[0] ?? '';
  return { url, lines, child, exit };
}
