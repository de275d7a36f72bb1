import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { readRecords, temporaryFolder } from '../support/service.ts';
import { type ServiceProcess, spawnService } from '../support/service-process.ts';
import { call } from './http.ts';

const PATH = '/api/v1/websites';
const key = mintKey();

let folder: string;
const running: ServiceProcess[] = [];

async function spawned(db: string): Promise<ServiceProcess> {
  const service = await spawnService(db, key);
  running.push(service);
  return service;
}

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterEach(() => Promise.all(running.splice(0).map((service) => service.end('SIGTERM'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('two processes on one database are one service', async () => {
  const db = join(folder, 'shared.db');
  const services = await Promise.all([spawned(db), spawned(db)]);
  const domains = Array.from({ length: 20 }, (_, index) => `shared-${index}.example`);
  const answers = await Promise.all(
    domains.flatMap((domain) =>
      services.map(({ url }) => call(url, 'POST', PATH, { key, form: { domain } })),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(20);
  expect(
    readRecords(db)
      .map(({ domain }) => domain)
      .sort(),
  ).toEqual([...domains].sort());
  // Each sees at once the writes of the other.
  for (const [writer, reader] of [services, [...services].reverse()]) {
    if (writer === undefined || reader === undefined) throw new Error('two services were started');
    const total = async () => (await call(reader.url, 'GET', PATH, { key })).body.meta.total;
    const before = await total();
    await call(writer.url, 'POST', PATH, { key, form: { domain: `seen-${before}.example` } });
    expect(await total()).toBe(before + 1);
  }
});

test('a CONNECT whose sender is gone before its answer ends that connection, and not the service', async () => {
  const { url } = await spawned(join(folder, 'connect.db'));
  for (const before of ['', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', '']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`${before}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    expect((await call(url, 'GET', '/healthz')).status).toBe(200);
  }
});
