/**
 * Runs a service with records that differ from websites.yaml, the plan, the apply and an empty second plan, in a
 * temporary folder. `node demo.mjs [PROGRAM]` uses another built program.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fetch } from 'undici';

const MAIN = resolve(process.argv[2] ?? join(import.meta.dirname, '../dist/main.js'));
const EXISTING = [
  { domain: 'example.com', privacy: '0', exclude_bots: '0' },
  { domain: 'blog.example.com', privacy: '1', exclude_ips: '192.0.2.1\n192.0.2.0/24' },
  { domain: 'example.org', privacy: '1' },
  { domain: 'old.example.net', privacy: '1' },
  { domain: 'intranet.internal.example', privacy: '1' },
];

const folder = mkdtempSync(join(tmpdir(), 'websites-demo-'));
copyFileSync(resolve(import.meta.dirname, '../websites.yaml'), join(folder, 'websites.yaml'));
const keyFile = join(folder, 'demo.key');
const service = spawn(
  process.execPath,
  [MAIN, 'serve', '--port', '0', '--db', 'demo.db', '--api-key-file', keyFile],
  {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);

try {
  const url = await listening(service);
  await seed(url, readFileSync(keyFile, 'utf8').trim());
  console.log(`A service with ${EXISTING.length} records runs at ${url}. It differs from websites.yaml.`);
  await websites(url, 'plan');
  await websites(url, 'apply', '--auto-approve');
  await websites(url, 'plan', '--detailed-exitcode');
  console.log(`
That was the main job: a plan, an apply that was verified, and a second plan without changes.
Now try it yourself on the embedded service (its records are in .websites/local.db):

  npx --no websites plan                     show what websites.yaml would change: five creates
  npx --no websites apply                    apply it
  npx --no websites undo --allow-deletes 5   undo it: five deletes need an approval
  npx --no websites --help                   list all commands`);
} finally {
  service.kill('SIGTERM');
  await new Promise((done) => service.once('close', done));
  rmSync(folder, { recursive: true, force: true });
}

async function listening(child) {
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url) {
      child.stderr.resume();
      return url;
    }
    console.error(line);
  }
  throw new Error('The service did not start.');
}

async function seed(url, key) {
  for (const record of EXISTING) {
    const answer = await fetch(`${url}/api/v1/websites`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
      body: new URLSearchParams(record),
    });
    if (answer.status !== 201) throw new Error(`${record.domain}: ${answer.status} ${await answer.text()}`);
  }
}

/** Every exit code except 0 ends the demo. */
async function websites(url, ...words) {
  console.log(`\n$ websites ${words.join(' ')}\n`);
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, WEBSITES_BASE_URL: url, WEBSITES_API_KEY_FILE: keyFile, WEBSITES_API_KEY: '' },
  });
  const code = await new Promise((done) => child.once('close', done));
  if (code !== 0) throw new Error(`websites ${words.join(' ')} ended with ${code}`);
}
