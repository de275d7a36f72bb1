/**
 * A shell in which `websites` is the built program, and the service of the pages is one of the test's own. What is one
 * command of the program, and nothing for a shell to do, runs in this process.
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

/** What stands for a service in the pages. */
const EXAMPLE = 'https://analytics.example.com';

/** What may be set where the tests are run, and no command is to see. */
const SETTINGS = /^(?:WEBSITES_|XDG_|CI$|GITHUB_|FORCE_COLOR|NODE_EXTRA_CA_CERTS)/;

/** A command with words that any shell leaves as they are. */
const PLAIN = /^websites(?: (?:[\w./:=,@%+-]+|'[^']*'|"[^"$`\\]*"))*$/;
const WORD = /'([^']*)'|"([^"]*)"|[^ ]+/g;

interface Ended {
  readonly code: number | null;
  /** Both streams, as a terminal shows them. */
  readonly printed: string;
}

export interface Shell {
  /** Runs a line; `stopAfter` ends it once it has printed something that matches. */
  run(line: string, stopAfter?: RegExp): Promise<Ended>;
  write(name: string, body: string): Promise<void>;
  /** From now on commands find a service and a key of it in the environment. */
  useService(): Promise<void>;
}

/** `records` are the domains that the service has when it is first used. */
export async function openShell(records: readonly string[]): Promise<Shell> {
  const [folder, home] = [await testFolder(), await testFolder()];
  const bin = await websitesBin(await testFolder());
  const own = Object.entries(process.env).filter(([name]) => !SETTINGS.test(name));
  const env: Record<string, string> = {
    ...Object.fromEntries(own),
    PATH: `${bin}:${process.env.PATH}`,
    // Some commands of the pages write there.
    HOME: home,
    // Nobody resolves names there: no page asks the internet.
    WEBSITES_DNS: '127.0.0.1:1',
    // The usual one may be taken.
    WEBSITES_PORT: '0',
  };
  let service: Promise<TestService> | undefined;
  /** The service of the page, and its key in the environment. */
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
        // A second signal would ask for more than an orderly end.
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

/** A service that has a record for each domain. */
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
