/** The service in a process of its own, to be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface ServiceProcess {
  readonly url: string;
  /** Sends the signal and waits until the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
}

let program: Promise<string> | undefined;

/** The program in one file, which starts several times as fast as hundreds of them; returns its path. */
async function buildProgram(): Promise<string> {
  // Where packages are found from; written whole, or not at all: other runs may be at it too.
  const file = fileURLToPath(new URL('../../node_modules/.cache/websites-service.mjs', import.meta.url));
  const draft = `${file}.${process.pid}`;
  await build({
    entryPoints: [fileURLToPath(new URL('service-main.ts', import.meta.url))],
    outfile: draft,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['libsql', 'pg'],
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
  });
  await rename(draft, file);
  return file;
}

export async function spawnService(db: string, key: string): Promise<ServiceProcess> {
  program ??= buildProgram();
  const child = spawn(process.execPath, [await program, db], {
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
