/** `websites serve` in a process of its own, that can be killed and started again on its port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { MAIN } from './cli.ts';

export interface Serve {
  readonly url: string;
  readonly db: string;
  readonly keyFile: string;
  /** Ends it with SIGKILL. */
  kill(): void;
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
      if (url !== undefined) return url;
      said += `${line}\n`;
    }
    throw new Error(`The service did not start: ${said}`);
  }

  const url = await start('0');
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    url,
    db,
    keyFile,
    kill: () => void child.kill('SIGKILL'),
    restart: async () => void (await start(new URL(url).port)),
  };
}
