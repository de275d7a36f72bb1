import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen } from '../support/listen.ts';
import { connect, failureOf } from './support.ts';

type Headers = Readonly<Record<string, string>>;

const HTML = { 'content-type': 'text/html; charset=UTF-8' };
const page = (title: string): string => `<!DOCTYPE html><html><head><title>${title}</title></head></html>`;

async function service(status: number, headers: Headers, body: string) {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, key: 'KEY' };
}

test.each<[what: string, status: number, headers: Headers, body: string, told: string[]]>([
  [
    'a challenge of a CDN',
    403,
    { ...HTML, server: 'cloudflare', 'cf-mitigated': 'challenge' },
    page('Just a moment...'),
    ['server cloudflare', 'title "Just a moment..."'],
  ],
  ['a page that forbids', 403, HTML, page('Access denied'), ['title "Access denied"']],
  ['a page without a type', 403, {}, page('Blocked'), ['title "Blocked"']],
  [
    'a proxy with its own login',
    401,
    { 'www-authenticate': 'Basic realm="intranet"', server: 'nginx' },
    '',
    ['401', 'server nginx'],
  ],
  ['a login for Windows', 401, { 'www-authenticate': 'Negotiate' }, '', ['401']],
  ['a captive portal', 511, HTML, page('Welcome to the hotel'), ['Welcome to the hotel']],
  ['a login form', 200, HTML, page('Sign in'), ['a page instead of JSON', 'title "Sign in"']],
])('%s counts as a response from another program', async (_what, status, headers, body, told) => {
  const error = await failureOf(connect(await service(status, headers, body)).list());
  expect(error).toMatchObject({ code: 'answer-invalid', exit: 1, blame: 'service' });
  for (const text of told) expect(error.message).toContain(text);
  expect(error.remedy).not.toContain('API key');
});

test('a proxy that requires credentials is an error that names HTTPS_PROXY', async () => {
  const error = await failureOf(connect(await service(407, { 'proxy-authenticate': 'Basic' }, '')).list());
  expect(error).toMatchObject({ code: 'service-unreachable', exit: 1 });
  expect(error.remedy).toContain('HTTPS_PROXY');
});

test('a 404 of another program does not mean that a record is missing', async () => {
  const error = await failureOf(
    connect(await service(404, { ...HTML, 'cf-mitigated': 'challenge' }, page('No'))).read('1'),
  );
  expect(error).toMatchObject({ code: 'answer-invalid' });
  expect(
    await connect(await service(404, {}, '{"message":"Resource not found."}')).read('1'),
  ).toBeUndefined();
});

test.each<[what: string, status: number, headers: Headers, body: string]>([
  ['in JSON', 401, {}, '{"message":"Unauthenticated."}'],
  ['in JSON, through a CDN', 403, { server: 'cloudflare' }, '{"message":"Forbidden"}'],
  ['as a page', 401, HTML, page('Unauthorized')],
  ['with WWW-Authenticate: Bearer', 401, { 'www-authenticate': 'Bearer' }, ''],
])('a response %s with status %i means a rejected key', async (_what, status, headers, body) => {
  const error = await failureOf(connect(await service(status, headers, body)).list());
  expect(error).toMatchObject({ code: 'key-refused', exit: 3 });
});

test('a JSON list is read even if its content type is HTML', async () => {
  const { websites } = await connect(await service(200, HTML, '{"data":[]}')).list();
  expect(websites).toEqual([]);
});
