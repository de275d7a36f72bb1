/** Runs the built program on a pseudo terminal, as a person would. */
import { spawn, spawnSync } from 'node:child_process';
import { MAIN, ownEnvironment } from './cli.ts';

/** The program of util-linux that makes the terminal. */
const SCRIPT = 'script';

export const HAS_TERMINAL = spawnSync(SCRIPT, ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Input, each typed once the text before it has been shown. */
  readonly typing?: readonly (readonly [shown: string, typed: string])[];
}

/** Returns the exit code and everything sent to the terminal. */
export function runOnTerminal(
  args: readonly string[],
  { cwd, env = {}, columns = 100, typing = [] }: TerminalOptions,
): Promise<{ code: number | null; output: string }> {
  const { NO_COLOR: _, ...own } = ownEnvironment();
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', `stty -echo cols ${columns} rows 30; exec ${words}`, '/dev/null'], {
    cwd,
    env: { ...own, TERM: 'xterm', ...env },
  });
  const open = [...typing];
  let output = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (let [next] = open; next !== undefined; [next] = open) {
      const at = output.indexOf(next[0], seen);
      if (at < 0) return;
      seen = at + next[0].length;
      child.stdin.write(next[1]);
      open.shift();
    }
  });
  return new Promise((done) => {
    child.once('close', (code) => done({ code, output }));
  });
}
