import { expect, test } from 'vitest';
import { proxyFor, proxyLogin } from '../../../src/client/http/proxy.ts';
import { startProxy } from '../../support/proxy.ts';
import { CERTIFICATE, scripted } from '../../support/scripted-service.ts';
import { connect, failureOf } from '../support.ts';

const PROXY = { https_proxy: 'http://s:1', http_proxy: 'http://p:2' };

test.each<[string, Record<string, string>, string | undefined]>([
  ['https://a.example', {}, undefined],
  ['https://a.example', PROXY, 's:1'],
  ['http://a.example', PROXY, 'p:2'],
  ['http://a.example', { HTTP_PROXY: 'http://p:2' }, 'p:2'],
  ['http://a.example', { HTTPS_PROXY: 'http://s:1' }, undefined],
  ['https://a.example', { HTTPS_PROXY: 's.example:3128' }, 's.example:3128'],
  ['https://a.example', { https_proxy: '', HTTPS_PROXY: 'http://s:1' }, 's:1'],
  ['http://localhost:8080', PROXY, undefined],
  ['http://127.0.0.1:8080', PROXY, undefined],
  ['http://127.1.2.3', PROXY, undefined],
  ['http://[::1]:8080', PROXY, undefined],
  ['http://app.localhost', PROXY, undefined],
  ['http://a.example', { ...PROXY, no_proxy: '*' }, undefined],
  ['http://a.example', { ...PROXY, NO_PROXY: 'b.example, A.example' }, undefined],
  ['http://x.a.example', { ...PROXY, NO_PROXY: 'a.example' }, undefined],
  ['http://x.a.example', { ...PROXY, NO_PROXY: '.a.example' }, undefined],
  ['http://x.a.example', { ...PROXY, NO_PROXY: '*.a.example' }, undefined],
  ['http://ba.example', { ...PROXY, NO_PROXY: 'a.example' }, 'p:2'],
  ['http://a.example:8080', { ...PROXY, NO_PROXY: 'a.example:8080' }, undefined],
  ['http://a.example', { ...PROXY, NO_PROXY: 'a.example:8080' }, 'p:2'],
  ['https://a.example', { ...PROXY, NO_PROXY: 'a.example:443' }, undefined],
  ['http://[2001:db8::1]/', { ...PROXY, NO_PROXY: '2001:db8::1' }, undefined],
  ['http://[2001:db8::1]:81/', { ...PROXY, NO_PROXY: '[2001:db8::1]:81' }, undefined],
  ['http://[2001:db8::1]/', { ...PROXY, NO_PROXY: '[2001:db8::1]:81' }, 'p:2'],
  ['http://192.0.2.7', { ...PROXY, NO_PROXY: '192.0.2.7' }, undefined],
  ['http://10.1.2.3:8080', { ...PROXY, NO_PROXY: 'b.example,10.0.0.0/8' }, undefined],
  ['http://11.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/8' }, 'p:2'],
  ['http://192.0.2.255', { ...PROXY, NO_PROXY: '192.0.2.7/24' }, undefined],
  ['http://192.0.2.7', { ...PROXY, NO_PROXY: '0.0.0.0/0' }, undefined],
  ['http://[2001:db8::1]/', { ...PROXY, NO_PROXY: '2001:db8::/32' }, undefined],
  ['http://[2001:db9::1]/', { ...PROXY, NO_PROXY: '2001:db8::/32' }, 'p:2'],
  ['http://[2001:db8::1]/', { ...PROXY, NO_PROXY: '0.0.0.0/0' }, 'p:2'],
  ['http://10.1.2.3', { ...PROXY, NO_PROXY: '10.0.0.0/33,10.0.0.0/x,10/8,/8,10.0.0.0/' }, 'p:2'],
  ['http://a.example', { ...PROXY, NO_PROXY: '0.0.0.0/0' }, 'p:2'],
  ['http://a.example', { ...PROXY, NO_PROXY: ',' }, 'p:2'],
])('the proxy of a request to %s with the environment %j is %s', (url, environment, proxy) => {
  expect(proxyFor(new URL(url), environment)?.host).toBe(proxy);
});

test.each([
  'socks5://me:hidden@p:1',
  'http://me:hidden@',
  'https://me:hidden@p:1',
  'http://me:12/hidden@p:1',
  'http://me:p@hidden/w@p:1',
  'me:p@hidden?w@p:1',
  'me:p@hidden#w@p:1',
])('the proxy URL %s is a usage error that omits its password', (text) => {
  const find = (): unknown => proxyFor(new URL('http://a.example'), { http_proxy: text });
  expect(find).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(find).not.toThrow(/hidden/);
});

const LOGIN = `Basic ${Buffer.from('me:se cret').toString('base64')}`;

test.each([
  ['http://me:100%@p', 'me:100%'],
  ['http://me@p', 'me:'],
  ['http://:secret@p', ':secret'],
  ['http://p', undefined],
])('the proxy URL %s gives the credentials %s', (proxy, login) => {
  const value = login && `Basic ${Buffer.from(login).toString('base64')}`;
  expect(proxyLogin(new URL(proxy))).toBe(value);
});

test.each([LOGIN, LOGIN.slice('Basic '.length), 'me:se cret'])(
  'an error does not repeat the proxy credentials (%s)',
  async (login) => {
    const body = JSON.stringify({ message: `${login} may not pass` });
    const service = await scripted({
      faults: () => ({ kind: 'status', status: 407, when: 'before', body }),
    });
    const proxy = await startProxy(service.port);
    const client = connect(
      { ...service, url: 'http://service.test' },
      { environment: { HTTP_PROXY: proxy.url } },
    );
    expect((await failureOf(client.list())).message).toContain('answered 407: its message repeats a secret');
  },
);

test.each([
  ['that refuses', 407, 'https'],
  ['that cannot be reached', 0, 'https'],
  ['that cannot be reached', 0, 'http'],
])('an error names a proxy %s, and no request is sent (status %i, %s)', async (_what, status, scheme) => {
  const service = await scripted();
  const proxy = await startProxy(service.port, status);
  if (status === 0) proxy.close();
  const client = connect(
    { ...service, url: `${scheme}://service.test` },
    { environment: { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }, connect: { ca: CERTIFICATE } },
  );
  const error = await failureOf(client.create('a.example', {}));
  expect(error).toMatchObject({ code: 'service-unreachable', outcome: 'refused', attempts: 5 });
  expect(error.message).toMatch(
    status === 0 ? /the proxy 127.0.0.1:\d+ failed/ : /the proxy 127.0.0.1:\d+ answered 407/,
  );
  expect(error.message).not.toMatch(/se%20cret|se cret/);
  expect(error.remedy).toMatch(/^Check the proxy .*HTTPS_PROXY/);
});
