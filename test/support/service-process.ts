/** The service in a separate process, which can be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';

export interface ServiceProcess {
  readonly url: string;
  /** Sends the signal and waits for the end of the process. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

const MAIN = fileURLToPath(new URL('service-main.ts', import.meta.url));

export async function spawnService(db: string, key: string): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [await bundle(MAIN), db], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SERVICE_KEY: key },
  });
  const ended = once(child, 'exit');
  const started = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
  const url = await Promise.race([started, ended.then(() => undefined)]);
  if (url === undefined) throw new Error('the service ended before it was up');
  return {
    url,
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}
