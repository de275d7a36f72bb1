/**
 * Runs command lines of the built program in this process, which loads it once: a process of its own costs several times
 * what most commands do in it. For tests of what a command says and does; what ends, signals and streams of the process
 * are about is for `runCli`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { systemTiming, withProgress } from '../../src/cli/progress/progress.ts';
import type { runCommand } from '../../src/cli/run.ts';
import { type CliOptions, type Ended, MAIN, ownEnvironment } from './cli.ts';
import { BARE_IO } from './io.ts';

interface Printed extends Ended {
  /** Both streams, as a terminal shows them. */
  readonly printed: string;
}

/** What the start of the program, which is for a process of its own, makes use of. */
interface Program {
  readonly runCommand: typeof runCommand;
  readonly withProgress: typeof withProgress;
  readonly systemTiming: typeof systemTiming;
}

let loaded: Promise<Program> | undefined;

/** Gives what the program would print and end with, where no terminal is. */
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
  const code = await program.runCommand(args, program.withProgress(io, program.systemTiming));
  return { code, stdout, stderr, printed };
}

/** Its file has another name after each build. */
function load(): Promise<Program> {
  const start = /\.\/chunks\/start-\w+\.js/.exec(readFileSync(MAIN, 'utf8'))?.[0] ?? '';
  const file = join(dirname(MAIN), start);
  const main = /\{[^}]*\brunCommand\b[^}]*\}from"(\.\/[\w.-]+)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return import(join(dirname(file), main));
}
