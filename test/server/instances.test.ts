/** Several instances of the service on one database, of either kind. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { addNamedKey, mintKey, revokeKey } from '../../src/server/keys.ts';
import type { LogEntry } from '../../src/server/log.ts';
import { openStore } from '../../src/server/open-store.ts';
import { openPool } from '../../src/server/postgres/pool.ts';
import { DATABASES } from '../support/databases.ts';
import { startBreaker } from '../support/postgres-breaker.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { call } from './http.ts';
import { serve } from './websites.ts';

const PATH = '/api/v1/websites';

async function start(...options: Parameters<typeof startTestService>): Promise<TestService> {
  const service = await startTestService(...options);
  onTestFinished(() => service.close());
  return service;
}

describe.each(DATABASES)('$name', (kind) => {
  describe.skipIf(!kind.installed)('instances', () => {
    beforeAll(() => kind.setUp());
    afterAll(() => kind.tearDown());

    const key = mintKey();
    let db: string;
    beforeEach(async () => {
      db = await kind.fresh();
    });

    /** Two instances, which both let `key` in. */
    async function pair(options: { rateLimit?: number } = {}): Promise<[TestService, TestService]> {
      const all = [start({ db, keys: [key], ...options }), start({ db, keys: [key], ...options })] as const;
      return Promise.all(all);
    }

    const create = (service: TestService, domain: string, more: Record<string, string> = {}) =>
      call(service.url, 'POST', PATH, { key, form: { domain, ...more } });

    test('are one service: what one acknowledged, the other shows', async () => {
      const [one, other] = await pair();
      expect(other.store.id).toBe(one.store.id);
      const made = (await create(one, 'made.example', { privacy: '2', password: 'x' })).body.data;
      const path = `${PATH}/${made.id}`;
      expect((await call(other.url, 'GET', path, { key })).body.data).toEqual(made);
      await call(other.url, 'PUT', path, { key, form: { privacy: '0', favorite: '1' } });
      const listed = await call(one.url, 'GET', `${PATH}?favorite=1&search=MADE`, { key });
      expect(listed.body).toMatchObject({
        data: [{ id: made.id, privacy: 0, password: true }],
        meta: { total: 1 },
      });
      expect((await call(one.url, 'DELETE', path, { key })).status).toBe(200);
      expect((await call(other.url, 'DELETE', path, { key })).status).toBe(404);
    });

    test('make one record of a domain that both are asked for at once', async () => {
      const both = await pair();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => create(both[index % 2] as TestService, 'race.example')),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 422)).toHaveLength(19);
    });

    test('let a key in, and shut it out, as soon as another process says so', async () => {
      const both = await pair();
      const statuses = async (presented: string) =>
        Promise.all(both.map(async ({ url }) => (await call(url, 'GET', PATH, { key: presented })).status));
      const store = await openStore(db);
      onTestFinished(() => store.close());
      const ci = mintKey();
      expect(await statuses(ci)).toEqual([401, 401]);
      await addNamedKey(store, ci, 'ci');
      expect(await statuses(ci)).toEqual([200, 200]);
      await revokeKey(store, 'ci');
      expect(await statuses(ci)).toEqual([401, 401]);
      expect(await statuses(key)).toEqual([200, 200]);
    });

    test(`limit the requests of a key ${kind.sharesWindows ? 'together' : 'each'}`, async () => {
      const both = await pair({ rateLimit: 3 });
      const statuses: number[] = [];
      for (let index = 0; index < 8; index += 1) {
        statuses.push((await call(both[index % 2]?.url ?? '', 'GET', PATH, { key })).status);
      }
      const good = kind.sharesWindows ? 3 : 6;
      expect(statuses).toEqual([...Array(good).fill(200), ...Array(8 - good).fill(429)]);
    });

    test('refuse to start with a key that was revoked', async () => {
      await (await startTestService({ db, keys: [key] })).close();
      const store = await openStore(db);
      await revokeKey(store, '1');
      await store.close();
      await expect(startTestService({ db, keys: [key] })).rejects.toMatchObject({
        code: 'usage',
        message: expect.not.stringContaining(key),
        remedy: expect.any(String),
      });
    });

    test('refuse the database of a newer version', async () => {
      await (await openStore(db)).close();
      const bump = kind.sharesWindows
        ? 'UPDATE websites_service SET schema_version = 999'
        : 'PRAGMA user_version = 999';
      await kind.execute(db, bump);
      await expect(openStore(db)).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(/was made by a newer version: its schema is 999/),
      });
    });

    const { server } = kind;
    if (server === undefined) return;

    describe('a server', () => {
      test('that goes away is told of as such, and found again when it is back', async () => {
        const entries: LogEntry[] = [];
        const service = await start({ db, keys: [key], log: (entry) => entries.push(entry) });
        const { url } = service;
        expect((await create(service, 'before.example')).status).toBe(201);

        await server().kill();
        for (const answer of [await create(service, 'down.example'), await call(url, 'GET', PATH, { key })]) {
          expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
        }
        expect((await call(url, 'GET', '/healthz')).status).toBe(503);
        await expect(openStore(service.db)).rejects.toMatchObject({ code: 'store-failed' });

        await server().start();
        expect((await create(service, 'after.example')).status).toBe(201);
        const { body } = await call(url, 'GET', `${PATH}?sort_by=domain&sort=asc`, { key });
        expect(body.data.map(({ domain }: { domain: string }) => domain)).toEqual([
          'after.example',
          'before.example',
        ]);
        expect(JSON.stringify(entries)).not.toMatch(/p@ss|p%40ss/);
      });

      test.each([
        ['a wrong password', (url: string) => url.replace('p%40ss', 'marked-password')],
        ['no such database', (url: string) => url.replace('/postgres?', '/nowhere?')],
        ['tables of another program', (url: string) => url],
      ])('with %s is refused, without a password in the message', async (what, change) => {
        if (what.startsWith('tables')) await kind.execute(db, 'CREATE TABLE accounts (name text)');
        const refusal = await openStore(change(db)).catch((error: unknown) => error);
        expect(refusal).toMatchObject({
          code: 'store-failed',
          remedy: expect.stringContaining('WEBSITES_DB'),
        });
        expect(String(refusal)).toMatch(/^WebsitesError: Cannot open the database postgres:\/\/\/[\w/-]+: /);
        expect(String(refusal)).not.toMatch(/marked|p@ss|p%40ss/);
      });

      test('that lacks letters is refused before it has tables, and so before a write fails of them', async () => {
        await kind.execute(db, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
        const latin = db.replace('/postgres?', '/latin?').replace(/&options=.*/, '');
        await expect(openStore(latin)).rejects.toMatchObject({
          code: 'store-failed',
          message: expect.stringMatching(/^postgres:\/\/\S+\/latin stores text as LATIN1\b/),
          remedy: expect.stringContaining("ENCODING 'UTF8'"),
        });
        await expect(kind.execute(latin, 'TABLE accounts')).rejects.toThrow('does not exist');
      });

      test.each([
        ['before it is sent', 'INSERT INTO websites', false, 503],
        ['when it is to be committed', 'COMMIT', true, 504],
      ])('whose connection breaks over a create %s', async (_when, word, arrives, status) => {
        const { folder } = server();
        const breaker = await startBreaker(folder);
        const service = await start({
          db: db.replace(encodeURIComponent(folder), encodeURIComponent(breaker.folder)),
          keys: [key],
        });
        await call(service.url, 'GET', PATH, { key });
        // The day of the key's first use is written beside the request.
        await expect.poll(async () => (await service.store.listKeys(1))[0]?.lastUsed).not.toBe(null);
        breaker.breakAt(word, arrives);
        const answer = await create(service, 'broken.example');
        expect([answer.status, answer.headers['retry-after']]).toEqual([
          status,
          status === 503 ? '1' : undefined,
        ]);
        const total = async () => (await call(service.url, 'GET', PATH, { key })).body.meta.total;
        await expect.poll(total).toBe(arrives ? 1 : 0);
      });

      test('that ends a transaction of an instance which was held up is no bug of ours', async () => {
        const { folder } = server();
        // It tells what the database said last even after that has ended the connection.
        const breaker = await startBreaker(folder);
        const through = db.replace(encodeURIComponent(folder), encodeURIComponent(breaker.folder));
        const pool = openPool(through, 5_000);
        onTestFinished(() => pool.end());
        const heldUp = pool.transaction(
          (function* () {
            yield { sql: 'SET LOCAL idle_in_transaction_session_timeout = 20', cells: [] };
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
            yield { sql: 'SELECT 1', cells: [] };
          })(),
        );
        await expect(heldUp).rejects.toMatchObject({ code: '25P03', statusCode: 503 });
        expect(await pool.query('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
      });

      test('that asks for a password which nobody has keeps no command from ending', async () => {
        const { exit } = await serve(server().folder, 'serve keys list', {
          WEBSITES_DB: db.replace(/:[^:@]+@/, '@'),
        });
        expect(await exit).toEqual([1, null]);
      });

      test('whose password is in ~/.pgpass is served without a word of the driver', async () => {
        const { folder } = server();
        const passwords = join(folder, 'pgpass');
        const [, password = ''] = /:([^:@]+)@/.exec(db) ?? [];
        const written = decodeURIComponent(password).replaceAll(':', '\\:');
        await writeFile(passwords, `*:*:*:*:${written}\n`, { mode: 0o600 });
        const { url, lines, child, exit } = await serve(folder, 'serve', {
          WEBSITES_DB: db.replace(/:[^:@]+@/, '@'),
          WEBSITES_API_KEY: key,
          PGPASSFILE: passwords,
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        expect(lines).toEqual([expect.stringMatching(/^Serving /), `Docs: ${url}/docs`]);
        child.kill('SIGTERM');
        expect(await exit).toEqual([0, null]);
      });

      test('that falls silent keeps no service from ending', async () => {
        const { folder } = server();
        const breaker = await startBreaker(folder);
        const { url, child, exit } = await serve(folder, 'serve', {
          WEBSITES_DB: db.replace(encodeURIComponent(folder), encodeURIComponent(breaker.folder)),
          WEBSITES_API_KEY: key,
        });
        onTestFinished(() => void child.kill('SIGKILL'));
        expect((await call(url, 'GET', PATH, { key })).status).toBe(200);
        breaker.fallSilent();
        child.kill('SIGTERM');
        expect(await exit).toEqual([0, null]);
      });
    });
  });
});
