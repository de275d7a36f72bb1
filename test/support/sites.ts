/** Websites for tests: they are told apart by their names, and a DNS server leads all of them here. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Finding } from '../../src/model/probe-report.ts';
import { createProbe, type ProbeOptions } from '../../src/probe/node/probe.ts';
import { createResolver } from '../../src/probe/node/resolver.ts';
import { CERTIFICATE, KEY } from './acting/certificate.ts';
import { type DnsAnswer, type DnsServer, startDns } from './dns.ts';
import { listen } from './listen.ts';

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export interface Sites {
  readonly dns: DnsServer;
  readonly ports: ProbeOptions['ports'];
  /** `SCHEME://HOST/PATH` of each request, in their order. */
  readonly requests: readonly string[];
  readonly headers: readonly http.IncomingHttpHeaders[];
  /** The most requests that were in progress at once. */
  mostAtOnce(): number;
  /** Probes `domains`, which are all of 127.0.0.1 unless `options` say otherwise. */
  probe(domains: readonly string[], options?: Partial<ProbeOptions>): Promise<Record<string, Finding>>;
}

/** The names that the certificate is for; at any other, https ends in the handshake. */
const SECURE = /^(?:www\.)?service\.test$/;

/** `handlers` by host; `names` have an answer of their own in DNS, all others lead to the handlers. */
export async function startSites(
  handlers: Readonly<Record<string, Handler>>,
  names: Readonly<Record<string, DnsAnswer | ((count: number) => DnsAnswer)>> = {},
): Promise<Sites> {
  const requests: string[] = [];
  const headers: http.IncomingHttpHeaders[] = [];
  let [now, most] = [0, 0];
  const handle = (scheme: string): Handler => {
    return (request, response) => {
      const host = request.headers.host ?? '';
      requests.push(`${scheme}://${host}${request.url}`);
      headers.push(request.headers);
      now += 1;
      most = Math.max(most, now);
      response.on('close', () => {
        now -= 1;
      });
      (handlers[host] ?? ok)(request, response);
    };
  };
  const context = createSecureContext({ cert: CERTIFICATE, key: KEY });
  const secure = https.createServer(
    {
      cert: CERTIFICATE,
      key: KEY,
      SNICallback: (name, done) =>
        SECURE.test(name) ? done(null, context) : done(new Error('no such name')),
    },
    handle('https'),
  );
  const plain = http.createServer(handle('http'));
  for (const server of [secure, plain])
    server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
  const ports = { https: await listen(secure), http: await listen(plain) };
  const dns = await startDns((name, count) => {
    const own = names[name];
    return typeof own === 'function' ? own(count) : (own ?? ['127.0.0.1']);
  });
  onTestFinished(() => dns.close());
  return {
    dns,
    ports,
    requests,
    headers,
    mostAtOnce: () => most,
    async probe(domains, options = {}) {
      const found: Record<string, Finding> = {};
      const probe = createProbe({ ...DEFAULTS, resolve: createResolver(dns.address), ports, ...options });
      await probe(domains, (domain, finding) => {
        found[domain] = finding;
      });
      return found;
    },
  };
}

const DEFAULTS = {
  mayConnect: (address: string): boolean => address === '127.0.0.1',
  concurrency: 16,
  timeoutMs: 10_000,
  userAgent: 'websites-as-code/test (websites probe)',
  environment: {},
  ca: CERTIFICATE,
};

const ok: Handler = (_request, response) => response.end('<html>hello</html>');

export const redirectTo =
  (location: string): Handler =>
  (_request, response) => {
    response.writeHead(302, { location }).end();
  };
