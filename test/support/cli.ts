/** Runs the built program as a user would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { checkJson } from './json-documents.ts';

export const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** The environment of this process without variables of the program or its dependencies. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:WEBSITES_|CI$|GITHUB_|FORCE_COLOR|NODE_EXTRA_CA_CERTS)/.test(name),
  );
  return Object.fromEntries(own);
}

/** Starts a command without this process's own WEBSITES_… settings. */
export function startCli(args: readonly string[], { cwd, env = {}, input }: CliOptions): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...ownEnvironment(), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  if (input !== undefined) child.stdin?.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((done) => child.once('close', (code) => done({ code, stdout, stderr })));
  return { child, ended: ended.finally(() => checkJson(args, stdout, cwd)) };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<Ended> {
  return startCli(args, options).ended;
}

/** Contents by paths. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder with `files` for one test, removed after it. */
export async function testFolder(files: Files = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'websites-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

/** Expects this exit code, and `part` in standard error. */
export function ending(code: number, part: string) {
  return { code, stderr: expect.stringContaining(part) };
}

/** Expects the same, and nothing on standard output. */
export function refusal(code: number, part: string) {
  return { ...ending(code, part), stdout: '' };
}
