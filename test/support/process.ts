/** Runs a program as a pipeline does, with only the given environment. */
import { spawn } from 'node:child_process';

interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export function runProcess(
  program: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<{ code: number | null; text: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
    }
    child.once('error', fail);
    child.once('close', (code) => done({ code, text }));
  });
}
