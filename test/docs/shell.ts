/**
 * A shell with the built program as `websites`, and a test service as the service of the pages. Plain commands of the
 * program run in this process.
 */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { websitesBin } from '../support/websites-bin.ts';

/** The service URL of the pages. */
const EXAMPLE = 'https://analytics.example.com';

/** Settings of the caller that commands must not see. */
const SETTINGS = /^(?:WEBSITES_|XDG_|CI$|GITHUB_|FORCE_COLOR|NODE_EXTRA_CA_CERTS)/;

/** A command without quoting or expansion by a shell. */
const PLAIN = /^websites(?: (?:[\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))*$/;
const WORD = /'([^']*)'|"([^"]*)"|[^ ]+/g;

interface Ended {
  readonly code: number | null;
  /** Both streams, as in a terminal. */
  readonly printed: string;
}

export interface Shell {
  /** Runs a line; ends it once its output matches `stopAfter`. */
  run(line: string, stopAfter?: RegExp): Promise<Ended>;
  write(name: string, body: string): Promise<void>;
  /** Sets a service and its key in the environment of later commands. */
  useService(): Promise<void>;
}

/** The service starts with a record for each domain in `records`. */
export async function openShell(records: readonly string[]): Promise<Shell> {
  const [folder, home] = [await testFolder(), await testFolder()];
  const bin = await websitesBin(await testFolder());
  const own = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  const env: Record<string, string> = {
    ...Object.fromEntries(own),
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    // No command of a page may send DNS requests.
    WEBSITES_DNS: '127.0.0.1:1',
    // The default port may be taken.
    WEBSITES_PORT: '0',
  };
  let service: Promise<TestService> | undefined;
  const serviceOf = async (): Promise<TestService> => {
    service ??= startWith(records);
    const { key } = await service;
    env.WEBSITES_API_KEY = key;
    return service;
  };
  return {
    async run(line, stopAfter) {
      const address = line.includes(EXAMPLE) ? (await serviceOf()).url : EXAMPLE;
      const command = line.replaceAll(EXAMPLE, address);
      const asShown = async (code: number | null, printed: string): Promise<Ended> => {
        const url = (await service)?.url ?? EXAMPLE;
        return { code, printed: printed.replaceAll(url, EXAMPLE) };
      };
      if (PLAIN.test(command)) {
        const { code, printed } = await runBuilt(wordsOf(command).slice(1), { cwd: folder, env });
        return asShown(code, printed);
      }
      const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const ended = new Promise<number | null>((done) => child.once('close', done));
      let seen = '';
      child.stdout.on('data', (chunk) => {
        seen += String(chunk);
        // A second signal would force an immediate exit.
        if (!child.killed && stopAfter?.test(seen)) child.kill('SIGTERM');
      });
      const [printed, code] = await Promise.all([text(child.stdout), ended]);
      return asShown(code, printed);
    },
    async write(name, body) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), body);
    },
    async useService() {
      env.WEBSITES_BASE_URL = (await serviceOf()).url;
    },
  };
}

function wordsOf(command: string): string[] {
  return Array.from(command.matchAll(WORD), ([word, single, double]) => single ?? double ?? word);
}

async function startWith(domains: readonly string[]): Promise<TestService> {
  const service = await startTestService();
  onTestFinished(() => service.close());
  for (const domain of domains) {
    const { status } = await fetch(`${service.url}/api/v1/websites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}`, Accept: 'application/json' },
      body: new URLSearchParams({ domain }),
    });
    expect(status).toBe(201);
  }
  return service;
}
