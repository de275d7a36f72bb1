/** Runs scripts/action-comment.mjs with a proxy in front of GitHub. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { startFakeGitHub } from '../support/github/api.ts';
import { listen } from '../support/listen.ts';
import { runProcess } from '../support/process.ts';
import { startProxy } from '../support/proxy.ts';
import { CERTIFICATE, KEY } from '../support/scripted/certificate.ts';

/** Starts a TLS server that forwards to `port`, and returns its port. */
async function secured(port: number): Promise<number> {
  const server = createTlsServer({ cert: CERTIFICATE, key: KEY }, (socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => end.destroy());
  });
  return listen(server);
}

async function comment(protocol: 'http' | 'https', more: Readonly<Record<string, string>>, status?: number) {
  const github = await startFakeGitHub();
  const port = Number(new URL(github.url).port);
  const proxy = await startProxy(protocol === 'https' ? await secured(port) : port, status);
  onTestFinished(() => proxy.close());
  const folder = await testFolder({
    'report.md': '<!-- websites-as-code:plan -->\nPlan\n',
    'event.json': '{"pull_request":{"number":7}}',
    'ca.pem': CERTIFICATE,
  });
  const origin = `${protocol}://service.test`;
  const env = {
    GITHUB_TOKEN: github.token,
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_REPOSITORY: github.repository,
    GITHUB_API_URL: origin,
    GITHUB_GRAPHQL_URL: `${origin}/graphql`,
    NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    [`${protocol.toUpperCase()}_PROXY`]: proxy.url,
    ...more,
  };
  const args = ['scripts/action-comment.mjs', join(folder, 'report.md')];
  const { text } = await runProcess(process.execPath, args, { cwd: process.cwd(), env });
  return { github, proxy, text };
}

test.each(['http', 'https'] as const)('the comment is sent through the proxy, over %s', async (protocol) => {
  const { github, proxy, text } = await comment(protocol, {});
  expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining('Plan')]);
  expect(proxy.seen.map(({ line }) => line.split(' ')[0])).toEqual(['CONNECT', 'CONNECT', 'CONNECT']);
  if (protocol === 'https') expect(proxy.tunnelled()).not.toContain(github.token);
  expect(text).toBe('');
});

test('a host that NO_PROXY lists is not requested through the proxy', async () => {
  const { proxy, text } = await comment('http', { NO_PROXY: 'other.test,.service.test' });
  expect(proxy.seen).toEqual([]);
  expect(text).toMatch(/^::warning::/);
});

test('an error names the proxy that refused the request, without its credentials', async () => {
  const { github, proxy, text } = await comment('https', {}, 407);
  expect(github.requests).toEqual([]);
  expect(text).toContain(`the proxy ${new URL(proxy.url).host} answered 407`);
});
