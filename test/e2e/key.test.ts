/** Hosts that get the API key and the passwords, with proxies and redirects. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { type Ended, runCli, testFolder } from '../support/cli.ts';
import { PROXY_PASSWORD, startProxy, type TestProxy } from '../support/proxy.ts';
import {
  CERTIFICATE,
  type Dialect,
  type FaultPlan,
  type ScriptedService,
  scripted,
} from '../support/scripted-service.ts';

const KEY = 'marked-key-8f3a';
const PASSWORD = 'Marked pass+word/77';

const FILE = `version: 1
websites:
  - { domain: a.example, privacy: password, password: { env: SITE_PASSWORD } }
  - { domain: b.example, email: true }
`;

interface Stage {
  readonly service: ScriptedService;
  readonly proxy: TestProxy;
  /** Applies to the service at `origin`; checks that the output has no secret. */
  apply(origin: string, env: Readonly<Record<string, string>>, ...flags: string[]): Promise<Ended>;
}

/** A service, and a proxy that connects every host name to it. */
async function setStage(dialect: Partial<Dialect> = {}, faults?: FaultPlan): Promise<Stage> {
  const service = await scripted({
    key: KEY,
    records: [{ domain: 'b.example', email: 0 }],
    dialect,
    ...(faults && { faults }),
  });
  const proxy = await startProxy(service.port);
  const folder = await testFolder({ 'websites.yaml': FILE, 'ca.pem': CERTIFICATE });
  return {
    service,
    proxy,
    async apply(origin, env, ...flags) {
      // A process reads trusted certificates at its start.
      const run = origin.startsWith('https:') ? runCli : runBuilt;
      const ended = await run(['apply', '--auto-approve', '--timeout', '2s', ...flags], {
        cwd: folder,
        env: {
          WEBSITES_BASE_URL: origin,
          WEBSITES_API_KEY: KEY,
          SITE_PASSWORD: PASSWORD,
          NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
          ...env,
        },
      });
      for (const text of [ended.stdout, ended.stderr, await readState(folder)]) expectNoSecret(text);
      return ended;
    },
  };
}

/** The journals next to the configuration. */
async function readState(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile() && name.name.endsWith('.ndjson'));
  return (
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')))
  ).join();
}

function expectNoSecret(text: string): void {
  const forms = [KEY, PASSWORD, PROXY_PASSWORD, 'Authorization: Bearer'];
  for (const secret of forms.flatMap((form) => [form, encodeURIComponent(form)]))
    expect(text).not.toContain(secret);
  for (const login of [PROXY_PASSWORD, `me:${PROXY_PASSWORD}`]) {
    expect(text).not.toContain(Buffer.from(login).toString('base64'));
  }
}

const APPLIED = [
  { domain: 'b.example', email: 1 },
  { domain: 'a.example', privacy: 2, password: PASSWORD },
];

test.each([301, 302, 307, 308])('the API key follows a %i redirect to the www variant', async (status) => {
  const { service, proxy, apply } = await setStage({
    redirect: ({ host, target }) =>
      host.startsWith('www.') ? undefined : { status, location: `http://www.${host}${target}` },
  });
  expect(await apply('http://service.test', { HTTP_PROXY: proxy.url })).toMatchObject({ code: 0 });
  expect(service.records()).toMatchObject(APPLIED);
  const hosts = service.requests.map(({ host }) => host);
  expect(hosts.filter((host) => host === 'service.test')).toHaveLength(1);
  expect(new Set(hosts)).toEqual(new Set(['service.test', 'www.service.test']));
  expect(proxy.seen).toHaveLength(service.requests.length);
});

test('a redirect to another host ends apply with exit 1, and that host gets no request', async () => {
  const { service, proxy, apply } = await setStage({
    redirect: ({ target }) => ({ status: 308, location: `http://elsewhere.test${target}` }),
  });
  const ended = await apply('http://service.test', { HTTP_PROXY: proxy.url }, '--format', 'json');
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ code: 'redirect-refused' });
  expect(service.requests.map(({ host }) => host)).toEqual(['service.test']);
});

test('a redirect of a write to another host ends apply with exit 4, without a request there', async () => {
  const { service, proxy, apply } = await setStage({
    redirect: ({ method, target }) =>
      method === 'GET' ? undefined : { status: 307, location: `http://elsewhere.test${target}` },
  });
  expect(await apply('http://service.test', { HTTP_PROXY: proxy.url })).toMatchObject({ code: 4 });
  expect(new Set(service.requests.map(({ host }) => host))).toEqual(new Set(['service.test']));
});

test('a redirect from https to http ends apply with exit 1, without a request over http', async () => {
  const { service, proxy, apply } = await setStage({
    redirect: ({ scheme, target }) =>
      scheme === 'https' ? { status: 301, location: `http://service.test${target}` } : undefined,
  });
  const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
  expect(await apply('https://service.test', env)).toMatchObject({ code: 1 });
  expect(service.requests.map(({ scheme }) => scheme)).toEqual(['https']);
});

test('a redirect to a login page ends apply with exit 3', async () => {
  const { proxy, apply } = await setStage({ redirect: () => ({ status: 302, location: '/login' }) });
  expect(await apply('http://service.test', { HTTP_PROXY: proxy.url })).toMatchObject({ code: 3 });
  expect(proxy.seen).toHaveLength(1);
});

test('a proxy for https sees neither key nor password', async () => {
  const { service, proxy, apply } = await setStage();
  expect(await apply('https://service.test', { HTTPS_PROXY: proxy.url })).toMatchObject({ code: 0 });
  expect(service.records()).toMatchObject(APPLIED);
  expect(service.requests.every(({ scheme, key }) => scheme === 'https' && key === 'right')).toBe(true);
  for (const { line, headers } of proxy.seen) {
    expect(line).toBe('CONNECT service.test:443');
    expect(headers).toHaveProperty('proxy-authorization');
  }
  for (const secret of [KEY, PASSWORD, new URLSearchParams({ PASSWORD }).toString().slice(9)]) {
    expect(proxy.tunnelled()).not.toContain(secret);
    expect(JSON.stringify(proxy.seen)).not.toContain(secret);
  }
  // Only the proxy gets its credentials.
  expect(service.requests.some(({ headers }) => 'proxy-authorization' in headers)).toBe(false);
});

test('a host that NO_PROXY lists is requested without the proxy', async () => {
  const { service, proxy, apply } = await setStage();
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'example.com,.test' };
  const ended = await apply('http://service.test', env, '--format', 'json');
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toMatchObject({ code: 'service-unreachable' });
  expect(proxy.seen).toEqual([]);
  expect(service.requests).toEqual([]);
});

test('requests to this machine bypass the proxy', async () => {
  const { service, proxy, apply } = await setStage();
  const env = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url, http_proxy: proxy.url };
  expect(await apply(service.url, env)).toMatchObject({ code: 0 });
  expect(proxy.seen).toEqual([]);
});

test('apply through an unreachable proxy exits with 1 and does not print its credentials', async () => {
  const { proxy, apply } = await setStage();
  proxy.close();
  expect(await apply('https://service.test', { HTTPS_PROXY: proxy.url })).toMatchObject({ code: 1 });
});

/** Repeats the secrets of the request, like a debugging page. */
const repeat: FaultPlan = ({ method, body }) =>
  method === 'POST'
    ? {
        kind: 'status',
        status: 422,
        when: 'before',
        body: JSON.stringify({
          message: { password: [`You sent ${body} = ${new URLSearchParams(body).get('password')}`] },
          errors: { key: [`Authorization: Bearer ${KEY}`] },
        }),
      }
    : undefined;

test.each(['human', 'json', 'ndjson'])('apply --format %s hides secrets in an error', async (format) => {
  const { service, apply } = await setStage({}, repeat);
  const ended = await apply(service.url, {}, '--format', format);
  expect(ended.code).toBe(4);
  expect(ended.stdout + ended.stderr).toMatch(/its message repeats a\s+secret/);
});
