/** Kills the service under load, repeatedly on one database. `SERVE_KILLS=50` sets the number. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { startServe } from '../support/serve.ts';
import { readRecords } from '../support/service.ts';
import { call, PATH } from './http.ts';

const KILLS = Number(process.env.SERVE_KILLS ?? 2);
const WRITERS = 8;

/** The last acknowledged state of each website: its parameters, or `undefined` if deleted. */
type Answered = Map<string, string | undefined>;

test('acknowledged writes survive a kill of the service', { timeout: 60_000 + 10_000 * KILLS }, async () => {
  const serve = await startServe(await testFolder());
  const key = (await readFile(serve.keyFile, 'utf8')).trim();
  const answered: Answered = new Map();
  /** Websites whose last request got no response. They may have either state. */
  const doubtful = new Set<string>();
  let next = 0;

  /** Creates, updates and deletes websites until the service ends. */
  async function write(): Promise<void> {
    for (;;) {
      next += 1;
      const domain = `site-${next}.example`;
      const send = async (method: string, path: string, form?: Record<string, string>) => {
        doubtful.add(domain);
        const reply = await call(serve.url, method, path, { key, ...(form && { form }) });
        expect(reply.status).toBeLessThan(300);
        doubtful.delete(domain);
        return reply.body.data?.id;
      };
      const id = await send('POST', PATH, { domain, exclude_params: 'first' });
      answered.set(domain, 'first');
      if (next % 2 === 0) continue;
      await send('PUT', `${PATH}/${id}`, { exclude_params: 'second' });
      answered.set(domain, 'second');
      if (next % 3 !== 0) continue;
      await send('DELETE', `${PATH}/${id}`);
      answered.set(domain, undefined);
    }
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = answered.size;
    const writing = Promise.allSettled(Array.from({ length: WRITERS }, write));
    while (answered.size === before) await delay(1);
    await delay(300 * Math.random());
    await serve.kill();
    for (const { reason } of (await writing) as PromiseRejectedResult[])
      expect(reason).toHaveProperty('code');

    const database = new Database(serve.db);
    expect(database.prepare('PRAGMA integrity_check').all([])).toEqual([{ integrity_check: 'ok' }]);
    database.close();
    const kept = new Map(readRecords(serve.db).map((record) => [record.domain, record.exclude_params]));
    const sure = [...answered].filter(([domain]) => !doubtful.has(domain));
    const shown = sure.map(([domain]) => [domain, kept.has(domain) ? String(kept.get(domain)) : undefined]);
    expect(shown).toEqual(sure);
    await serve.restart();
  }
});
