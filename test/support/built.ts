/**
 * Runs command lines of the built program in this process, which loads it once: a separate process costs several
 * times more. Tests of the end, signals and streams of the process use `runCli`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { withProgress } from '../../src/cli/progress/progress.ts';
import type { runCommand } from '../../src/cli/start.ts';
import { type CliOptions, type Ended, MAIN, ownEnvironment } from './cli.ts';
import { BARE_IO } from './io.ts';
import { checkJson } from './json-documents.ts';

interface Printed extends Ended {
  /** Both streams, as a terminal shows them. */
  readonly printed: string;
}

/** Parts of the program that its start uses. */
interface Program {
  readonly runCommand: typeof runCommand;
  readonly withProgress: typeof withProgress;
}

let loaded: Promise<Program> | undefined;

/** Runs a command without a terminal. */
export async function runBuilt(
  args: readonly string[],
  { cwd, env = {}, input = '' }: CliOptions,
): Promise<Printed> {
  loaded ??= load();
  const program = await loaded;
  let [stdout, stderr, printed] = ['', '', ''];
  const io = {
    ...BARE_IO,
    out(text: string) {
      stdout += text;
      printed += text;
    },
    err(text: string) {
      stderr += text;
      printed += text;
    },
    env: { ...ownEnvironment(), ...env },
    cwd,
    stdin: Readable.from([Buffer.from(input)]) as NodeJS.ReadStream,
  };
  const code = await program.runCommand(args, program.withProgress(io));
  checkJson(args, stdout, cwd);
  return { code, stdout, stderr, printed };
}

/** Finds the chunk in main.js, because its name changes with each build. */
async function load(): Promise<Program> {
  const folder = join(dirname(MAIN), 'chunks');
  const start = /\bstart-\w+\.js/.exec(readFileSync(MAIN, 'utf8'))?.[0] ?? '';
  const text = readFileSync(join(folder, start), 'utf8');
  const others = /\{[^}]*\bwithProgress\b[^}]*\}from"\.\/([\w.-]+)"/.exec(text)?.[1] ?? '';
  return { ...(await import(join(folder, start))), ...(await import(join(folder, others))) };
}
