/** No secret is in any output: every command runs with marked secrets, and everything it leaves is searched. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
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

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** The command lines of all processes. */
function processList(): string {
  if (!existsSync('/proc/self/cmdline')) return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine);
  return lines.join('\n');
}

/** Empty for a process that has ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Commands that pass something to other processes; the others print and write the same in this process. */
const WATCHED = [
  'plan',
  'apply --auto-approve --resend-passwords',
  'drift',
  'doctor',
  `plan --base-url http://user:${MARKED.byVariable}@127.0.0.1:1`,
];

/** Runs a command while the process list is read. */
async function runWatched(
  args: readonly string[],
  options: Parameters<typeof startCli>[1],
): Promise<Ended & { processes: string }> {
  const running = startCli(args, options);
  let processes = '';
  const watch = setInterval(() => {
    processes += processList();
  }, 40);
  const ended = await running.ended;
  clearInterval(watch);
  return { ...ended, processes };
}

test('no command prints a secret or writes one to a file', async () => {
  const folder = await testFolder({
    'websites.yaml': FILE,
    'secret.txt': `${MARKED.byFile}\n`,
    'list.txt': 'd.example\n',
    'broken.yaml': FILE.replace('c.example', 'c..example').replace('version: 1', 'version: 1\n\tx: 1'),
  });
  const service = await startServe(folder);
  const key = readFileSync(service.keyFile, 'utf8').trim();
  const options = {
    cwd: folder,
    env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: key, SITE_PASSWORD: MARKED.byVariable },
  };
  const commands: [number, ...string[]][] = [
    [0, 'validate'],
    [1, 'validate', '-f', 'broken.yaml'],
    [0, 'plan'],
    [0, 'plan', '--format', 'json', '--out', 'plan.json'],
    [0, 'show', 'plan.json'],
    [0, 'show', 'plan.json', '--report', 'html=plan.html'],
    [0, 'apply', '--auto-approve', '--format', 'ndjson'],
    [0, 'apply', '--auto-approve', '--resend-passwords'],
    [0, 'apply', '--auto-approve', '--resend-passwords', '--format', 'json'],
    [0, 'plan', '--resend-passwords'],
    [0, 'drift'],
    [0, 'runs'],
    [0, 'runs', '--format', 'json'],
    [0, 'list'],
    [0, 'list', '--format', 'csv'],
    // The last run sent only passwords, which cannot be undone.
    [4, 'undo'],
    [4, 'undo', '--format', 'json'],
    [0, 'export', '--out', 'exported.yaml'],
    [0, 'export'],
    [0, 'import', 'list.txt', '--check'],
    [0, 'doctor'],
    [0, 'doctor', '--format', 'json'],
    [0, 'init', '--out', 'new.yaml'],
    [0, 'schema'],
    [0, 'version', '--format', 'json'],
    [1, 'plan', '--base-url', `http://user:${MARKED.byVariable}@127.0.0.1:1`],
    [1, 'bogus'],
  ];
  const secrets = [...Object.values(MARKED), key];
  let seen = '';
  for (const [exit, ...args] of commands) {
    const isWatched = WATCHED.includes(args.join(' '));
    const { code, stdout, stderr, processes } = isWatched
      ? await runWatched(args, options)
      : { processes: '', ...(await runBuilt(args, options)) };
    expect({ args, code, stderr }).toMatchObject({ code: exit });
    seen += processes;
    for (const secret of secrets) {
      expect(stdout, args.join(' ')).not.toContain(secret);
      expect(stderr, args.join(' ')).not.toContain(secret);
      // The one command line with the secret is the user's own mistake, above.
      if (!args.some((word) => word.includes(secret)))
        expect(processes, args.join(' ')).not.toContain(secret);
    }
  }
  expect(seen).toContain('apply --auto-approve --resend-passwords');
  const own = ['websites.yaml', 'broken.yaml', 'secret.txt', 'list.txt', 'service.key'].map((name) =>
    join(folder, name),
  );
  const written = filesBelow(folder).filter((path) => !own.includes(path));
  expect(written.map((path) => basename(path))).toEqual(
    expect.arrayContaining(['plan.json', 'plan.html', 'exported.yaml', 'new.yaml', 'service.db']),
  );
  expect(written.filter((path) => path.endsWith('.ndjson')).length).toBeGreaterThan(0);
  for (const path of written) {
    const content = readFileSync(path, 'latin1');
    for (const secret of secrets) expect(content.includes(secret), `${path} holds a secret`).toBe(false);
  }
  // The service stored the passwords.
  const records = await fetch(`${service.url}/api/v1/websites`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
  });
  const { data } = (await records.json()) as { data: { password: boolean }[] };
  expect(data.map((record) => record.password)).toEqual([true, true, true]);
});
