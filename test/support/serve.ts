/** `websites serve` in a separate process, which can be killed and started again on its port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { MAIN } from './cli.ts';

export interface Serve {
  readonly url: string;
  readonly db: string;
  readonly keyFile: string;
  /** Peak memory in MiB; on Linux alone. */
  peakMib(): number;
  kill(): Promise<void>;
  /** Starts it again, on the same port and database. */
  restart(): Promise<void>;
}

export async function startServe(folder: string): Promise<Serve> {
  const db = join(folder, 'service.db');
  const keyFile = join(folder, 'service.key');
  let child: ChildProcess;

  async function start(port: string): Promise<string> {
    child = spawn(process.execPath, [MAIN, 'serve', '--port', port, '--db', db, '--api-key-file', keyFile], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      const url = /http:\/\/\S+/.exec(line)?.[0];
      if (url === undefined) {
        said += `${line}\n`;
        continue;
      }
      // Unread output would block it.
      child.stderr?.resume();
      return url;
    }
    throw new Error(`The service did not start: ${said}`);
  }

  const url = await start('0');
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    url,
    db,
    keyFile,
    peakMib: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    restart: async () => void (await start(new URL(url).port)),
  };
}
