/** What holds of the store on every database. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/server/open-store.ts';
import { DEFAULTS } from '../../src/server/settings.ts';
import type { ListedRecord, NewKey, Store, StoredWebsite } from '../../src/server/store.ts';
import { DATABASES } from '../support/databases.ts';

const NOW = '2026-01-31T09:00:00Z';
const WRITER = fileURLToPath(new URL('../support/list-writer.mjs', import.meta.url));

describe.each(DATABASES)('$name', (kind) => {
  describe.skipIf(!kind.installed)('store', () => {
    beforeAll(() => kind.setUp());
    afterAll(() => kind.tearDown());

    let db: string;
    beforeEach(async () => {
      db = await kind.fresh();
    });

    async function open(): Promise<Store> {
      const store = await openStore(db);
      onTestFinished(() => store.close());
      return store;
    }

    async function made(store: Store, domain: string, settings = DEFAULTS): Promise<StoredWebsite> {
      const website = await store.create(1, domain, settings, NOW);
      if (website === 'taken') throw new Error(`${domain} is taken`);
      return website;
    }

    describe('opening', () => {
      test('finds everything again', async () => {
        const first = await openStore(db);
        const website = await made(first, 'kept.example');
        await first.close();
        const second = await open();
        expect(second.id).toBe(first.id);
        expect(second.id).toMatch(/^[0-9a-f-]{36}$/);
        expect(await second.read(1, website.id)).toEqual(website);
      });

      test('many times at once makes one database', async () => {
        const stores = await Promise.all(Array.from({ length: 6 }, () => open()));
        expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
      });

      test('everything is refused once it is closed', async () => {
        const store = await openStore(db);
        await store.check();
        await store.close();
        await expect(store.check()).rejects.toThrow();
        await expect(store.list(1, BY_ID, { offset: 0, limit: 1 })).rejects.toThrow();
        await expect(store.create(1, 'late.example', DEFAULTS, NOW)).rejects.toThrow();
      });

      test('what waits when it is closed is written', async () => {
        const closing = await openStore(db);
        const waiting = Array.from({ length: 30 }, (_, index) => made(closing, `last-${index}.example`));
        await closing.close();
        await Promise.all(waiting);
        const { total } = await (await open()).list(1, BY_ID, { offset: 0, limit: 1 });
        expect(total).toBe(30);
      });
    });

    describe('writing', () => {
      test('texts come back as they were', async () => {
        const store = await open();
        const settings = {
          ...DEFAULTS,
          exclude_params: "ünï\r\n'; DROP TABLE websites; --\t🔑 ? $1",
          password: '',
        };
        const { id } = await made(store, 'text.example', settings);
        expect((await store.read(1, id))?.settings).toEqual(settings);
      });

      test('of one domain many times at once makes one record', async () => {
        const stores = [await open(), await open()];
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            stores[index % 2]?.create(1, 'race.example', DEFAULTS, NOW),
          ),
        );
        expect(all.filter((one) => one !== 'taken')).toHaveLength(1);
      });

      test('nobody writes between what an update has read and what it writes', async () => {
        const stores = [await open(), await open()];
        const { id } = await made(stores[0] as Store, 'counted.example');
        const increment = (store: Store | undefined) =>
          store?.update(
            1,
            id,
            (current) => ({ settings: { ...current, email: Number(current.email) + 1 } }),
            '2026-02-01T00:00:00Z',
          );
        await Promise.all(Array.from({ length: 30 }, (_, index) => increment(stores[index % 2])));
        expect(await stores[0]?.read(1, id)).toMatchObject({
          settings: { ...DEFAULTS, email: 30 },
          createdAt: NOW,
          updatedAt: '2026-02-01T00:00:00Z',
        });
      });

      test('what is refused, or fails, is not written, and later writes succeed', async () => {
        const store = await open();
        const { id } = await made(store, 'refused.example');
        expect(await store.update(1, id, () => ({ refused: 'no' }), NOW)).toEqual({ refused: 'no' });
        const bug = () => {
          throw new Error('a bug');
        };
        await expect(store.update(1, id, bug, NOW)).rejects.toThrow('a bug');
        const unfit = { ...DEFAULTS, exclude_params: 'a\0b' };
        await expect(store.create(1, 'unfit.example', unfit, NOW)).rejects.toThrow(TypeError);
        await made(store, 'unfit.example');
        expect((await store.read(1, id))?.settings).toEqual(DEFAULTS);
      });

      test('ids are not used again, and belong to an account', async () => {
        const store = await open();
        const stranger = await store.addAccount();
        const { id } = await made(store, 'gone.example');
        expect(await store.read(stranger, id)).toBe(undefined);
        expect(await store.update(stranger, id, () => ({ settings: DEFAULTS }), NOW)).toBe(undefined);
        expect(await store.remove(stranger, id)).toBe(false);
        expect(await store.remove(1, id)).toBe(true);
        expect(await store.remove(1, id)).toBe(false);
        expect((await made(store, 'gone.example')).id).toBeGreaterThan(id);
      });
    });

    describe('keys', () => {
      const key = (digest: string, name: string | null = null): NewKey => ({
        digest,
        account: 1,
        name,
        createdAt: NOW,
      });

      test('are found by their digest, as they were let in', async () => {
        const store = await open();
        const stranger = await store.addAccount();
        const added = await store.addKey(key('digest-1', 'ci'));
        expect(added).toEqual({
          id: expect.any(Number),
          digest: 'digest-1',
          account: 1,
          name: 'ci',
          createdAt: NOW,
          lastUsed: null,
        });
        expect(await store.addKey({ ...key('digest-1', 'other'), account: stranger })).toEqual(added);
        await store.addKey(key('digest-2'));
        await store.addKey(key('digest-3'));
        await store.addKey({ ...key('digest-4', 'ci'), account: stranger });
        expect(await store.findKey('digest-1')).toEqual(added);
        expect(await store.findKey('digest-9')).toBe(undefined);
        expect((await store.listKeys(1)).map(({ digest }) => digest)).toEqual([
          'digest-1',
          'digest-2',
          'digest-3',
        ]);
      });

      test('share no name, of several at once either, until the one that has it is revoked', async () => {
        const stores = [await open(), await open()];
        const store = stores[0] as Store;
        const added = await Promise.all(
          Array.from({ length: 8 }, (_, index) => stores[index % 2]?.addKey(key(`digest-${index}`, 'ci'))),
        );
        expect(added.filter((one) => one === 'name-taken')).toHaveLength(7);
        const [first] = await store.listKeys(1);
        expect(await store.revokeKey(1, first?.id ?? 0, NOW)).toBe(true);
        expect(await store.addKey(key('digest-next', 'ci'))).toMatchObject({ name: 'ci' });
      });

      test('stay out once they are revoked, for every store at once', async () => {
        const [here, there] = [await open(), await open()];
        await here.addKey(key('digest-1', 'ci'));
        const known = await there.findKey('digest-1');
        expect(known).toMatchObject({ name: 'ci' });
        expect(await here.revokeKey(2, known?.id ?? 0, NOW)).toBe(false);
        expect(await here.revokeKey(1, known?.id ?? 0, NOW)).toBe(true);
        expect(await here.revokeKey(1, known?.id ?? 0, NOW)).toBe(false);
        expect(await there.findKey('digest-1')).toBe(undefined);
        expect(await there.listKeys(1)).toEqual([]);
        expect(await there.addKey(key('digest-1', 'again'))).toBe('revoked');
      });

      test('have a last day of use, which never goes back', async () => {
        const store = await open();
        await store.addKey(key('digest-1'));
        const id = (await store.findKey('digest-1'))?.id ?? 0;
        for (const [day, shown] of [
          ['2026-02-01', '2026-02-01'],
          ['2026-01-31', '2026-02-01'],
          ['2026-02-02', '2026-02-02'],
        ] as const) {
          await store.markUsed(id, day);
          expect((await store.findKey('digest-1'))?.lastUsed).toBe(shown);
        }
      });

      test('have their requests counted in windows that do not move', async () => {
        const stores = [await open(), await open()];
        const store = stores[0] as Store;
        await store.addKey(key('digest-1'));
        await store.addKey(key('digest-2'));
        const ids = (await store.listKeys(1)).map(({ id }) => id);
        const count = (now: number, at = 0, whose = 0) =>
          stores[at]?.countRequest(ids[whose] ?? 0, now, 60_000);
        expect(await count(1_000)).toEqual({ hits: 1, endsAt: 61_000 });
        expect(await count(60_999)).toEqual({ hits: 2, endsAt: 61_000 });
        expect(await count(60_999, 0, 1)).toEqual({ hits: 1, endsAt: 120_999 });
        expect(await count(61_000)).toEqual({ hits: 1, endsAt: 121_000 });
        await Promise.all(Array.from({ length: 20 }, () => count(61_001)));
        expect(await count(61_002)).toEqual({ hits: 22, endsAt: 121_000 });
        expect(await count(61_003, 1)).toMatchObject({ hits: kind.sharesWindows ? 23 : 1 });
      });

      test('have their requests counted again once a clock was put back by more than a window', async () => {
        const store = await open();
        await store.addKey(key('digest-1'));
        const id = (await store.findKey('digest-1'))?.id ?? 0;
        const count = (now: number) => store.countRequest(id, now, 60_000);
        expect(await count(10_000_000)).toEqual({ hits: 1, endsAt: 10_060_000 });
        // Clocks of several machines are never quite the same.
        expect(await count(9_940_000)).toEqual({ hits: 2, endsAt: 10_060_000 });
        expect(await count(9_939_999)).toEqual({ hits: 1, endsAt: 9_999_999 });
        expect(await count(9_940_000)).toEqual({ hits: 2, endsAt: 9_999_999 });
      });
    });

    describe('listing', () => {
      test('any page of any list, in any order and between writes of anybody, is what it must be', async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.tuple(LISTED, LISTED),
            fc.array(STEP, { minLength: 10, maxLength: 30 }),
            async (lists, steps) => {
              const address = await kind.fresh();
              const [store, other] = [await openStore(address), await openStore(address)];
              const stranger = await store.addAccount();
              const kept: StoredWebsite[] = [];
              const create = async (by: Store): Promise<void> => {
                const favorited_at = kept.length % 3 === 0 ? NOW : null;
                const settings = { ...DEFAULTS, favorited_at };
                kept.push(await made(by, `${'aüb'[kept.length % 3]}-${nextNumber()}.example`, settings));
              };
              await store.create(stranger, `a-${nextNumber()}.example`, DEFAULTS, NOW);
              for (let index = 0; index < 20; index += 1) await create(store);
              const changes = {
                none: async () => {},
                create: () => create(store),
                elsewhere: () => create(other),
                remove: () => store.remove(1, kept.splice(3, 1)[0]?.id ?? 0),
              };
              for (const { list, page, change } of steps) {
                await changes[change]();
                const found = await store.list(1, lists[list], { offset: page * 5, limit: 5 });
                expect(found).toEqual(expected(kept, lists[list], page, 5));
              }
              await Promise.all([store.close(), other.close()]);
            },
          ),
          { numRuns: 8 },
        );
      });

      test('the total and the page are of one state, while another process writes', async () => {
        const store = await open();
        const writer = spawn(process.execPath, [WRITER, db], { stdio: ['pipe', 'ignore', 'inherit'] });
        const gone = once(writer, 'exit');
        let [changes, last] = [0, 0];
        while (changes < 60) {
          // The end of the writer, and of the time for the test, come in between.
          await turn();
          expect(writer.exitCode).toBe(null);
          const { total, websites } = await store.list(1, BY_ID, { offset: 0, limit: 100 });
          expect(websites.length).toBe(total);
          expect(total % 5).toBe(0);
          if (total !== last) changes += 1;
          last = total;
        }
        writer.stdin.end();
        await gone;
      });
    });
  });
});

const BY_ID: ListedRecord = { sortBy: 'id', descending: true };

interface Step {
  /** Which of the two lists of a run is read. */
  readonly list: 0 | 1;
  readonly page: number;
  readonly change: 'none' | 'create' | 'remove' | 'elsewhere';
}

const LISTED: fc.Arbitrary<ListedRecord> = fc.record(
  {
    search: fc.constantFrom('a', 'b-1', '7', 'ü', '%', 'nothing'),
    favorite: fc.boolean(),
    sortBy: fc.constantFrom('id' as const, 'domain' as const),
    descending: fc.boolean(),
  },
  { requiredKeys: ['sortBy', 'descending'] },
);

const STEP: fc.Arbitrary<Step> = fc.record({
  list: fc.constantFrom(0 as const, 1 as const),
  page: fc.nat({ max: 4 }),
  change: fc.constantFrom('none', 'none', 'none', 'create', 'remove', 'elsewhere'),
});

/** What a page must hold, worked out from all records. */
function expected(all: readonly StoredWebsite[], listed: ListedRecord, page: number, limit: number) {
  const { search = '', favorite, sortBy, descending } = listed;
  const selected = all
    .filter(({ domain }) => domain.includes(search))
    .filter(({ settings }) => favorite === undefined || favorite === (settings.favorited_at !== null))
    .sort((a, b) => (a[sortBy] < b[sortBy] ? -1 : 1) * (descending ? -1 : 1));
  return { total: selected.length, websites: selected.slice(page * limit, (page + 1) * limit) };
}

let numbers = 0;
function nextNumber(): number {
  numbers += 1;
  return numbers;
}
