import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { startServe } from '../support/serve.ts';
import { readRecords } from '../support/service.ts';
import { call, PATH } from './http.ts';

test('two processes of the service on one database act as one service', async () => {
  const folder = await testFolder();
  const services = [await startServe(folder), await startServe(folder)];
  const { db, keyFile } = services[0] as (typeof services)[0];
  const key = (await readFile(keyFile, 'utf8')).trim();
  const domains = Array.from({ length: 20 }, (_, index) => `shared-${index}.example`);
  const answers = await Promise.all(
    domains.flatMap((domain) =>
      services.map(({ url }) => call(url, 'POST', PATH, { key, form: { domain } })),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(20);
  const kept = readRecords(db).map(({ domain }) => domain);
  expect(kept.sort()).toEqual([...domains].sort());
  // Each process sees the writes of the other at once.
  for (const [writer, reader] of [services, services.toReversed()]) {
    const total = async () => (await call(reader?.url ?? '', 'GET', PATH, { key })).body.meta.total;
    const before = await total();
    await call(writer?.url ?? '', 'POST', PATH, { key, form: { domain: `seen-${before}.example` } });
    expect(await total()).toBe(before + 1);
  }
});

test('an aborted CONNECT request does not end the service', async () => {
  const { url } = await startServe(await testFolder());
  for (const before of ['', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`${before}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    expect((await call(url, 'GET', '/healthz')).status).toBe(200);
  }
});
