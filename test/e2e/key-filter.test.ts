/** A service that repeats the API key in its responses. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, testFolder } from '../support/cli.ts';
import { listen } from '../support/listen.ts';

const KEY = 'wsk_Marked/key+7f3Q9zT2_aa';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const FORMS: Readonly<Record<string, string>> = {
  plain: KEY,
  percent: encodeURIComponent(KEY),
  base64: base64(`user:${KEY}!`),
  hex: Buffer.from(KEY).toString('hex'),
  json: [...KEY].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  html: [...KEY].map((sign) => `&#${sign.charCodeAt(0)};`).join(''),
};

/** Parts of the key, in any form. */
const TRACES = [
  ...Object.values(FORMS).filter((form) => form !== FORMS.base64),
  ...[0, 1, 2].map((before) => base64('x'.repeat(before) + KEY).slice(4, -4)),
];

function found(text: string): string[] {
  const lower = text.toLowerCase();
  return TRACES.filter((trace) => lower.includes(trace.toLowerCase()));
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function startService(answer: Answer): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}`;
}

function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('\n');
}

async function outputs(answer: Answer, commands: readonly (readonly string[])[]): Promise<string> {
  const folder = await testFolder({ 'websites.yaml': 'version: 1\nwebsites: [new.example]\n' });
  const summary = join(await testFolder({ 'summary.md': '' }), 'summary.md');
  const env = {
    WEBSITES_BASE_URL: await startService(answer),
    WEBSITES_API_KEY: KEY,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: summary,
  };
  let text = '';
  for (const args of commands) {
    const { stdout, stderr } = await runCli(args, { cwd: folder, env });
    text += `$ ${args.join(' ')}\n${stdout}${stderr}\n`;
  }
  return text + filesBelow(folder) + readFileSync(summary, 'utf8');
}

const record = (id: number, more: object = {}): object => ({
  id,
  domain: `site-${id}.example`,
  privacy: 0,
  ...more,
});

test('no command prints the API key that the service repeats in records or links', async () => {
  const records = Object.entries(FORMS).map(([name, form], index) =>
    record(index + 1, { exclude_params: form, [form]: name }),
  );
  const next = `http://127.0.0.1/api/v1/websites?page=2&api_key=${KEY}`;
  const listed: Answer = ({ method, url = '' }, response) => {
    response.setHeader('content-type', 'application/json');
    if (method !== 'GET') return void response.writeHead(422).end(JSON.stringify({ message: `no ${KEY}` }));
    const [, id] = /websites\/(\d+)/.exec(url) ?? [];
    if (id !== undefined) return void response.end(JSON.stringify({ data: records[Number(id) - 1] }));
    const isFirst = !url.includes('page=2');
    const [data, links] = isFirst ? [records.slice(0, 3), { next }] : [records.slice(3), { next: null }];
    response.end(JSON.stringify({ data, links, meta: { token: KEY } }));
  };
  const text = await outputs(listed, [
    ['plan', '--prune', '--out', 'plan.json', '--report', 'html=plan.html'],
    ['apply', '--auto-approve', '--verbose'],
    ['list', '--format', 'csv'],
    ['export', '--out', 'exported.yaml'],
    ['doctor'],
  ]);
  expect(found(text)).toEqual([]);
  // The rest of the response was read and printed.
  expect(text).toContain('site-1.example');
  expect(text).toContain('exclude_params of site-1.example');
  expect(text).toContain('repeats the API key');
}, 30_000);

test('no command prints the API key that the service repeats in IDs or error messages', async () => {
  const refused: Answer = (request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'GET')
      return void response.writeHead(500).end(`<p>${FORMS.html} ${FORMS.base64}</p>`);
    const data = [record(1, { id: KEY }), record(2)];
    response.end(JSON.stringify({ data }));
  };
  expect(found(await outputs(refused, [['plan'], ['apply', '--auto-approve'], ['export']]))).toEqual([]);
}, 30_000);

test('plan exits with 1 and does not print the API key if a file contains it as a value', async () => {
  const folder = await testFolder({
    'websites.yaml': `version: 1\nwebsites:\n  - { domain: a.example, exclude_params: ["${KEY}"] }\n`,
  });
  const empty: Answer = (_, response) => void response.end('{"data":[]}');
  const env = { WEBSITES_BASE_URL: await startService(empty), WEBSITES_API_KEY: KEY };
  const { code, stdout, stderr } = await runCli(['plan', '--out', 'plan.json', '--format', 'json'], {
    cwd: folder,
    env,
  });
  expect({ code, error: JSON.parse(stdout).code }).toEqual({ code: 1, error: 'plan-impossible' });
  expect(stderr).toContain('a.example');
  expect(found(stdout + stderr)).toEqual([]);
  expect(readdirSync(folder)).not.toContain('plan.json');
});
