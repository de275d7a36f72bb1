/** No secret in any output: every command is run with marked secrets, and everything it leaves is searched. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ended, startCli, testFolder } from '../support/cli.ts';
import { startServe } from '../support/serve.ts';

const MARKED = {
  byVariable: 'Marked-Variable-8f3a',
  byFile: 'Marked-File-77c1',
  literal: 'Marked-Literal-e02d',
} as const;

const FILE = `version: 1
websites:
  - { domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }
  - { domain: b.example, privacy: password, password: { file: ./secret.txt } }
  - { domain: c.example, privacy: password, password: ${MARKED.literal} }
`;

/** Every file below a folder but those that the user wrote. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Runs a command while the process list is looked at. */
async function runWatched(
  args: readonly string[],
  options: Parameters<typeof startCli>[1],
): Promise<Ended & { processes: string }> {
  const running = startCli(args, options);
  let processes = '';
  const watch = setInterval(() => {
    processes += execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  }, 40);
  const ended = await running.ended;
  clearInterval(watch);
  return { ...ended, processes };
}

test('every command keeps every secret to itself', async () => {
  const folder = await testFolder({
    'websites.yaml': FILE,
    'secret.txt': `${MARKED.byFile}\n`,
    'broken.yaml': FILE.replace('c.example', 'c..example').replace('version: 1', 'version: 1\n\tx: 1'),
  });
  const service = await startServe(folder);
  const key = readFileSync(service.keyFile, 'utf8').trim();
  const options = {
    cwd: folder,
    env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: key, SITE_PASSWORD: MARKED.byVariable },
  };
  const commands = [
    ['validate'],
    ['validate', '-f', 'broken.yaml'],
    ['plan'],
    ['plan', '--format', 'json', '--out', 'plan.json'],
    ['apply', '--auto-approve', '--format', 'ndjson'],
    ['apply', '--auto-approve', '--resend-passwords'],
    ['apply', '--auto-approve', '--resend-passwords', '--format', 'json'],
    ['plan', '--resend-passwords'],
    ['export', '--format', 'yaml', '--out', 'exported.yaml'],
    ['export', '--format', 'csv'],
    ['export', '--format', 'json'],
    ['export', '--format', 'ndjson'],
    ['doctor'],
    ['doctor', '--format', 'json'],
    ['init', '--out', 'new.yaml'],
    ['schema'],
    ['version', '--format', 'json'],
    ['plan', '--base-url', `http://user:${MARKED.byVariable}@127.0.0.1:1`],
    ['bogus'],
  ];
  const secrets = [...Object.values(MARKED), key];
  for (const args of commands) {
    const { stdout, stderr, processes } = await runWatched(args, options);
    for (const secret of secrets) {
      expect(stdout, args.join(' ')).not.toContain(secret);
      expect(stderr, args.join(' ')).not.toContain(secret);
      // The one command line that holds it is the user's own mistake, above.
      if (!args.some((word) => word.includes(secret)))
        expect(processes, args.join(' ')).not.toContain(secret);
    }
  }
  const own = ['websites.yaml', 'broken.yaml', 'secret.txt', 'service.key'].map((name) => join(folder, name));
  const written = filesBelow(folder).filter((path) => !own.includes(path));
  expect(written.filter((path) => path.endsWith('.ndjson')).length).toBeGreaterThan(0);
  for (const path of written) {
    const content = readFileSync(path, 'latin1');
    for (const secret of secrets) expect(content.includes(secret), `${path} holds a secret`).toBe(false);
  }
  // They did get there.
  const records = await fetch(`${service.url}/api/v1/websites`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
  });
  const { data } = (await records.json()) as { data: { password: boolean }[] };
  expect(data.map((record) => record.password)).toEqual([true, true, true]);
});
