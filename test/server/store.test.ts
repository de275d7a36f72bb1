import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULTS, type ListQuery } from '../../src/server/schema.ts';
import { openStore, type Store, type StoredWebsite } from '../../src/server/store.ts';
import { testFolder } from '../support/cli.ts';

const NOW = '2026-01-31T09:00:00Z';
const WRITER = fileURLToPath(new URL('../support/list-writer.mjs', import.meta.url));

describe('store', () => {
  let db: string;
  beforeEach(async () => {
    db = join(await testFolder(), 'websites.db');
  });

  async function open(): Promise<Store> {
    const store = await openStore(db);
    onTestFinished(() => store.close());
    return store;
  }

  async function made(store: Store, domain: string, settings = DEFAULTS): Promise<StoredWebsite> {
    const website = await store.create(domain, settings, NOW);
    if (website === 'taken') throw new Error(`${domain} is taken`);
    return website;
  }

  test('a database of the service has all its records after it is reopened', async () => {
    const first = await openStore(db);
    const website = await made(first, 'kept.example');
    await first.close();
    const second = await open();
    expect(second.id).toBe(first.id);
    expect(second.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await second.read(website.id)).toEqual(website);
  });

  test('every operation on a closed database of the service is an error', async () => {
    const store = await openStore(db);
    await store.check();
    await store.close();
    await expect(store.check()).rejects.toThrow();
    await expect(store.list(BY_ID)).rejects.toThrow();
    await expect(store.create('late.example', DEFAULTS, NOW)).rejects.toThrow();
  });

  test('closing the database of the service first completes the queued writes', async () => {
    const closing = await openStore(db);
    const waiting = Array.from({ length: 30 }, (_, index) => made(closing, `last-${index}.example`));
    await closing.close();
    await Promise.all(waiting);
    const { total } = await (await open()).list(BY_ID);
    expect(total).toBe(30);
  });

  test('the database of the service returns stored text unchanged', async () => {
    const store = await open();
    const settings = {
      ...DEFAULTS,
      exclude_params: "ünï\r\n'; DROP TABLE websites; --\t🔑 ? $1",
      password: '',
    };
    const { id } = await made(store, 'text.example', settings);
    expect(await store.read(id)).toMatchObject(settings);
  });

  test('a failed update writes nothing, and later writes succeed', async () => {
    const store = await open();
    const { id } = await made(store, 'refused.example');
    expect(await store.update(id, () => undefined, NOW)).toBe('refused');
    const bug = () => {
      throw new Error('a bug');
    };
    await expect(store.update(id, bug, NOW)).rejects.toThrow('a bug');
    const unfit = { ...DEFAULTS, exclude_params: 'a\0b' };
    await expect(store.create('unfit.example', unfit, NOW)).rejects.toThrow(TypeError);
    await made(store, 'unfit.example');
    expect(await store.read(id)).toMatchObject(DEFAULTS);
  });

  test('the pages of a list are correct after any sequence of writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(LISTED, LISTED),
        fc.array(STEP, { minLength: 10, maxLength: 30 }),
        async (lists, steps) => {
          const address = join(await testFolder(), 'websites.db');
          const [store, other] = [await openStore(address), await openStore(address)];
          const kept: StoredWebsite[] = [];
          const create = async (by: Store): Promise<void> => {
            const favorited_at = kept.length % 3 === 0 ? NOW : null;
            const settings = { ...DEFAULTS, favorited_at };
            kept.push(await made(by, `${'aüb'[kept.length % 3]}-${nextNumber()}.example`, settings));
          };
          for (let index = 0; index < 20; index += 1) await create(store);
          const changes = {
            none: async () => {},
            create: () => create(store),
            elsewhere: () => create(other),
            remove: () => store.remove(kept.splice(3, 1)[0]?.id ?? 0),
          };
          for (const { list, page, change } of steps) {
            await changes[change]();
            const query = { ...lists[list], per_page: 10, page } as const;
            expect(await store.list(query)).toEqual(expected(kept, query));
          }
          await Promise.all([store.close(), other.close()]);
        },
      ),
      { numRuns: 8 },
    );
  });

  test('the total and the page of a list agree while another process writes', async () => {
    const store = await open();
    const writer = spawn(process.execPath, [WRITER, db], { stdio: ['pipe', 'ignore', 'inherit'] });
    const gone = once(writer, 'exit');
    let [changes, last] = [0, 0];
    while (changes < 60) {
      // Yields, so that the end of the writer and the timeout of the test can occur.
      await turn();
      expect(writer.exitCode).toBe(null);
      const { total, websites } = await store.list(BY_ID);
      expect(websites.length).toBe(total);
      expect(total % 5).toBe(0);
      if (total !== last) changes += 1;
      last = total;
    }
    writer.stdin.end();
    await gone;
  });
});

const BY_ID: ListQuery = { sort_by: 'id', sort: 'desc', per_page: 100, page: 1 };

interface Step {
  /** Which of the two lists of a run is read. */
  readonly list: 0 | 1;
  readonly page: number;
  readonly change: 'none' | 'create' | 'remove' | 'elsewhere';
}

const LISTED = fc.record(
  {
    search: fc.constantFrom('a', 'b-1', '7', 'ü', '%', 'nothing'),
    favorite: fc.constantFrom(0 as const, 1 as const),
    sort_by: fc.constantFrom('id' as const, 'domain' as const),
    sort: fc.constantFrom('asc' as const, 'desc' as const),
  },
  { requiredKeys: ['sort_by', 'sort'] },
);

const STEP: fc.Arbitrary<Step> = fc.record({
  list: fc.constantFrom(0 as const, 1 as const),
  page: fc.integer({ min: 1, max: 5 }),
  change: fc.constantFrom('none', 'none', 'none', 'create', 'remove', 'elsewhere'),
});

/** The expected page, computed from all records. */
function expected(all: readonly StoredWebsite[], query: ListQuery) {
  const { search = '', favorite, sort_by, sort, per_page, page } = query;
  const selected = all
    .filter(({ domain }) => domain.includes(search))
    .filter(({ favorited_at }) => favorite === undefined || favorite === Number(favorited_at !== null))
    .sort((a, b) => (a[sort_by] < b[sort_by] ? -1 : 1) * (sort === 'desc' ? -1 : 1));
  return { total: selected.length, websites: selected.slice((page - 1) * per_page, page * per_page) };
}

let numbers = 0;
function nextNumber(): number {
  numbers += 1;
  return numbers;
}
