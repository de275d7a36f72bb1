import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { type ReadOptions, readCurrent, readWhole } from '../../src/client/read-current.ts';
import type { FieldName } from '../../src/model/field-table.ts';
import type { Wanted } from '../../src/model/website.ts';
import { type Dialect, type ScriptedService, scripted } from '../support/scripted-service.ts';
import { connect, domains } from './support.ts';

function want(domain: string, ...fields: FieldName[]): Wanted {
  return { domain, fields };
}

const readBy = async (client: Client, wanted: readonly Wanted[], options?: ReadOptions) =>
  readCurrent(client, await client.list(), wanted, options);
const read = (service: ScriptedService, wanted: readonly Wanted[]) => readBy(connect(service), wanted);

/** A client whose lists show the settings of one record only. */
function showing(shown: string, client: Client): Client {
  const list: Client['list'] = async () => {
    const { websites, ...listing } = await client.list();
    return {
      ...listing,
      websites: websites.map((one) => (one.id === shown ? one : { ...one, settings: {} })),
    };
  };
  return { ...client, list };
}

test('a complete list that shows all fields needs no further requests', async () => {
  const service = await scripted({ records: domains(150) });
  const before = Date.now();
  const current = await read(service, [want('site-1.example', 'email'), want('new.example', 'email')]);
  expect(current).toMatchObject({ complete: true, hidden: [], presenceOnly: [] });
  expect(current.websites).toHaveLength(150);
  expect(current.knownAbsent.size).toBe(0);
  expect(current.readAt).toBeGreaterThanOrEqual(before);
  expect(service.requests).toHaveLength(2);
});

test('only records with a declared field that the list omits are read on their own', async () => {
  const service = await scripted({
    dialect: { hiddenInList: ['exclude_ips', 'email'] },
    records: domains(5).map((domain) => ({ domain, exclude_ips: '192.0.2.1', email: 1 })),
  });
  const wanted = [
    want('site-0.example', 'exclude_ips'),
    want('site-1.example', 'privacy'),
    want('site-2.example', 'exclude_ips', 'email', 'password'),
    want('new.example', 'exclude_ips'),
  ];
  const current = await read(service, wanted);
  expect(current.hidden).toEqual([]);
  expect(service.requests.map(({ path }) => path.replace('/api/v1/websites', ''))).toEqual(['', '/3', '/1']);
  const settings = new Map(current.websites.map((website) => [website.domain, website.settings]));
  expect(settings.get('site-0.example')).toMatchObject({
    privacy: 1,
    exclude_ips: ['192.0.2.1'],
    email: true,
  });
  expect(settings.get('site-1.example')).not.toHaveProperty('email');
  expect(settings.get('site-2.example')).toMatchObject({ exclude_ips: ['192.0.2.1'], email: true });
});

test('a field that the service never returns costs one more request, and is named', async () => {
  const hidden = ['exclude_ips', 'favorited_at'];
  const service = await scripted({
    dialect: { hiddenInList: [...hidden, 'email'], hiddenInRead: hidden },
    records: domains(9),
  });
  const only = domains(9).map((domain) => want(domain, 'exclude_ips', 'favorited_at'));
  expect((await read(service, only)).hidden).toEqual(['exclude_ips', 'favorited_at']);
  expect(service.requests).toHaveLength(2);
  const both = domains(9).map((domain) => want(domain, 'exclude_ips', 'email'));
  expect((await read(service, both)).hidden).toEqual(['exclude_ips']);
  expect(service.requests).toHaveLength(2 + 10);
});

test('a record is read only for omitted fields, and counts as empty if it omits them too', async () => {
  const service = await scripted({
    dialect: { nulls: 'left out' },
    records: ['a.example', { domain: 'b.example', exclude_ips: '192.0.2.1' }, ...domains(20)],
  });
  const wanted = [want('a.example', 'exclude_ips', 'favorited_at'), want('b.example', 'exclude_ips')];
  const { websites, hidden } = await read(service, wanted);
  const settings = new Map(websites.map((website) => [website.domain, website.settings]));
  expect(settings.get('a.example')).toMatchObject({ email: false, exclude_ips: [] });
  // No record shows a favorite: the service may never return it.
  expect(hidden).toEqual(['favorited_at']);
  expect(settings.get('a.example')).not.toHaveProperty('favorited_at');
  expect(settings.get('b.example')).toMatchObject({ exclude_ips: ['192.0.2.1'] });
  expect(settings.get('site-1.example')).not.toHaveProperty('exclude_ips');
  expect(service.requests).toHaveLength(2);
});

const dialect: Partial<Dialect> = { nulls: 'left out', hiddenInList: ['exclude_params', 'exclude_ips'] };
const withIps = { domain: 'z.example', exclude_ips: '192.0.2.1' };

test.each<[Dialect['nulls'], Dialect['favorite']]>([
  ['left out', 'favorited_at'],
  ['listed', 'favorited_at'],
  ['left out', 'favorite'],
])(
  'a field that lists omit is read per record if any has a value (nulls %s, %s)',
  async (nulls, favorite) => {
    const records = [...domains(4), withIps];
    const service = await scripted({ dialect: { ...dialect, nulls, favorite }, records });
    const filled: Wanted = { ...want('z.example', 'exclude_ips'), filled: ['exclude_ips'] };
    const wanted = [...domains(4).map((domain) => want(domain, 'exclude_ips')), filled];
    const { websites, hidden } = await read(service, wanted);
    expect(hidden).toEqual([]);
    expect(websites.map(({ settings }) => settings.exclude_ips)).toEqual([['192.0.2.1'], [], [], [], []]);
  },
);

test('a field that lists hide is read from each record if none declares a value', async () => {
  const service = await scripted({ dialect, records: [...domains(9), withIps] });
  const wanted = [...domains(9), 'z.example'].map((domain) => want(domain, 'exclude_ips'));
  const { hidden, websites } = await read(service, wanted);
  expect(hidden).toEqual([]);
  expect(websites.map(({ settings }) => settings.exclude_ips)).toContainEqual(['192.0.2.1']);
  expect(service.requests).toHaveLength(1 + 10);
});

test('an omitted field counts as empty until a value was sent, then as never returned', async () => {
  const service = await scripted({
    dialect: { ...dialect, hiddenInRead: ['exclude_ips'] },
    records: domains(2),
  });
  const client = connect(service);
  const wanted: Wanted[] = [{ ...want('site-0.example', 'exclude_ips'), filled: ['exclude_ips'] }];
  const first = await readBy(client, wanted);
  expect(first.hidden).toEqual([]);
  expect(first.websites[1]?.settings.exclude_ips).toEqual([]);
  await client.update('1', 'site-0.example', { exclude_ips: ['192.0.2.1'] });
  expect((await readBy(client, wanted)).hidden).toEqual(['exclude_ips']);
});

test('each record to delete is read for fields that lists hide', async () => {
  const service = await scripted({ dialect, records: [...domains(7), withIps] });
  const client = connect(service);
  const current = await readBy(client, []);
  const { websites } = await readWhole(client, current, [...domains(7), 'z.example']);
  expect(websites[0]?.settings).toMatchObject({ exclude_ips: ['192.0.2.1'] });
  expect(service.requests).toHaveLength(1 + 8);
});

test.each([
  { hiddenInList: ['exclude_ips'], hiddenInRead: ['email', 'password'] },
  { hiddenInList: ['exclude_ips', 'password'], hiddenInRead: ['email'] },
])('a field that only the list or only the record shows is read: %j', async (dialect) => {
  const record = {
    domain: 'a.example',
    exclude_ips: '192.0.2.1',
    email: 1,
    privacy: 2,
    password: 'hidden',
  };
  const service = await scripted({ dialect, records: [record] });
  const { websites } = await read(service, [want('a.example', 'exclude_ips')]);
  expect(websites).toMatchObject([
    { settings: { exclude_ips: ['192.0.2.1'], email: true, privacy: 2 }, passwordSet: true },
  ]);
});

test('whether a password is set is read from a record if lists hide it and one is declared', async () => {
  const service = await scripted({
    dialect: { hiddenInList: ['password'] },
    records: domains(3).map((domain, index) => ({
      domain,
      privacy: 2,
      password: index === 0 ? 'a' : null,
    })),
  });
  const wanted = [want('site-0.example', 'password'), want('site-1.example', 'password')];
  const { websites, hidden } = await read(service, wanted);
  expect(new Map(websites.map(({ domain, passwordSet }) => [domain, passwordSet]))).toEqual(
    new Map([
      ['site-0.example', true],
      ['site-1.example', false],
      ['site-2.example', undefined],
    ]),
  );
  expect(hidden).toEqual([]);
  expect(service.requests).toHaveLength(3);
});

test('a service that never shows whether a password is set gets one more request', async () => {
  const dialect = { hiddenInList: ['password'], hiddenInRead: ['password'] };
  const service = await scripted({ dialect, records: domains(3) });
  const wanted = domains(3).map((domain) => want(domain, 'password'));
  expect((await read(service, wanted)).hidden).toEqual([]);
  expect(service.requests).toHaveLength(2);
});

test.each([
  ['exists', false, ['192.0.2.0', '192.0.2.1']],
  ['was deleted', true, ['192.0.2.1']],
])('records are read on their own if the list omits a field (first record %s)', async (_, isGone, ips) => {
  const service = await scripted({
    records: domains(3).map((domain, index) => ({ domain, exclude_ips: `192.0.2.${index}` })),
  });
  service.faults = ({ path }) => {
    if (isGone && path.endsWith('/1')) service.remove(1);
    return undefined;
  };
  const wanted = domains(2).map((domain) => want(domain, 'exclude_ips'));
  const { websites } = await readBy(showing('3', connect(service)), wanted);
  const shown = websites.filter(({ id }) => id !== '3').flatMap(({ settings }) => settings.exclude_ips);
  expect(shown.sort()).toEqual(ips);
});

test('a boolean or a number that a record omits is unknown, not empty', async () => {
  const service = await scripted({ dialect: { hiddenInRead: ['email', 'privacy'] }, records: domains(2) });
  const wanted = [want('site-1.example', 'email', 'privacy')];
  const { websites, hidden } = await readBy(showing('1', connect(service)), wanted);
  expect(hidden).toEqual([]);
  expect(websites[0]?.settings).toEqual({
    exclude_bots: true,
    exclude_ips: [],
    exclude_params: [],
    favorited_at: null,
  });
});

test('every record of a domain is read for a field that the list omits', async () => {
  const records = [0, 1].map((email) => ({ domain: 'a.example', email }));
  const service = await scripted({ dialect: { hiddenInList: ['email'], unique: false }, records });
  const { websites } = await read(service, [want('a.example', 'email')]);
  expect(websites.map(({ id, settings }) => [id, settings.email])).toEqual([
    ['2', true],
    ['1', false],
  ]);
});

test('the www variant of a declared domain is read too', async () => {
  const service = await scripted({ dialect: { hiddenInList: ['email'] }, records: ['a.example'] });
  const current = await read(service, [want('www.a.example', 'email')]);
  expect(current.websites).toMatchObject([{ domain: 'a.example', settings: { email: false } }]);
});

test('a record that is deleted while it is read counts as absent', async () => {
  const service = await scripted({
    dialect: { hiddenInList: ['email'] },
    records: ['a.example', 'b.example'],
  });
  service.faults = ({ path }) => {
    if (path.endsWith('/1')) service.remove(1);
    return undefined;
  };
  const wanted = [want('a.example', 'email'), want('b.example', 'email')];
  const { websites, hidden } = await read(service, wanted);
  expect(websites).toMatchObject([{ domain: 'b.example', settings: { email: false } }]);
  expect(hidden).toEqual([]);
});

test.each([
  ['once', 1, []],
  ['each time', Number.POSITIVE_INFINITY, ['email']],
])('a record exists if a look-up returns it, even if its ID gives 404 %s', async (_, times, nowhere) => {
  const service = await scripted({ dialect: { hiddenInList: ['email'] }, records: ['a.example'] });
  let reads = 0;
  service.faults = ({ path }) =>
    path.endsWith('/1') && ++reads <= times ? { kind: 'status', status: 404, when: 'before' } : undefined;
  const { websites, hidden } = await read(service, [want('a.example', 'email')]);
  expect(websites).toMatchObject([{ id: '1', domain: 'a.example' }]);
  expect(hidden).toEqual(nowhere);
});

test('with "favorite: favorite", a favorite has no time even if responses show one', async () => {
  const service = await scripted({
    records: [{ domain: 'a.example', favorited_at: '2026-01-31 09:00:00' }, 'b.example'],
  });
  const current = await readBy(connect(service, { favorite: 'favorite' }), []);
  expect(current.presenceOnly).toEqual(['favorited_at']);
  expect(current.websites).toMatchObject([
    { settings: { favorited_at: null } },
    { settings: { favorited_at: true } },
  ]);
});

const BLIND: Partial<Dialect> = { paging: 'ignored', www: 'keep' };

test('without a complete list, each declared domain is looked up, and can be absent', async () => {
  const service = await scripted({
    dialect: BLIND,
    records: ['old.example', 'www.twin.example', ...domains(150)],
  });
  const wanted = ['old.example', 'twin.example', 'site-149.example', 'new.example'].map((domain) =>
    want(domain, 'email'),
  );
  const current = await read(service, wanted);
  expect(current).toMatchObject({ complete: false, reason: { code: 'list-stuck' } });
  expect(current.websites.map(({ domain }) => domain)).toEqual(
    expect.arrayContaining(['old.example', 'www.twin.example']),
  );
  expect([...current.knownAbsent]).toEqual(['twin.example', 'new.example']);
  // Records that the list shows need no search.
  const searches = service.requests.flatMap(({ query }) => query.search ?? []);
  expect(searches.sort()).toEqual(['new.example', 'old.example', 'twin.example']);
});

test('without a complete list and a working search, no domain counts as absent', async () => {
  const service = await scripted({
    dialect: { ...BLIND, search: 'ignored' },
    records: ['old.example', ...domains(150)],
  });
  const current = await read(service, [want('old.example'), want('new.example')]);
  expect(current.complete).toBe(false);
  expect(current.knownAbsent.size).toBe(0);
  expect(current.websites.some(({ domain }) => domain === 'old.example')).toBe(false);
});

/** Lists rows with other IDs than their records have, and searches too if `inSearches`. */
function mixed(ids: Readonly<Record<string, number>>, inSearches = false): Dialect['listedAs'] {
  return (records, isSearch) =>
    records.map((record) =>
      isSearch && !inSearches ? record : { ...record, id: ids[record.domain] ?? record.id },
    );
}

const mismatch = (names: string) =>
  expect.objectContaining({ code: 'id-mismatch', message: expect.stringContaining(names) });

test('one ID for two domains in a list is an error that names both', async () => {
  const service = await scripted({ records: ['keep.example', 'b.example', 'c.example'] });
  service.dialect = { ...service.dialect, listedAs: mixed({ 'b.example': 1 }) };
  await expect(read(service, [])).rejects.toEqual(mismatch('#1 for b.example and keep.example'));
});

test.each([
  ['an incomplete list and a look-up', { paging: 'ignored' }, 'keep.example'],
  ['two look-ups', { paging: 'ignored', defaultPage: 10, largestPage: 10 }, 'site-3.example'],
] as const)('one ID for two domains in %s is an error that names both', async (_what, dialect, other) => {
  const records = ['new.example', ...domains(150), 'keep.example'];
  const service = await scripted({ records, dialect });
  const id = service.records().find(({ domain }) => domain === other)?.id ?? 0;
  service.dialect = { ...service.dialect, listedAs: mixed({ 'new.example': id }, true) };
  const wanted = [want(other), want('new.example')];
  await expect(readBy(connect(service, { parallelism: 1 }), wanted)).rejects.toEqual(
    mismatch(`#${id} for ${other} and new.example`),
  );
});

describe('one ID has two domains in a complete list and a record', () => {
  const dialect: Partial<Dialect> = { hiddenInList: ['email'], www: 'keep' };

  test('one ID for two domains is an error, also for a record to delete', async () => {
    const service = await scripted({ dialect, records: ['keep.example', 'a.example'] });
    service.dialect = { ...service.dialect, listedAs: mixed({ 'keep.example': 2, 'a.example': 1 }) };
    const client = connect(service);
    const current = await readBy(client, []);
    expect(current.complete).toBe(true);
    await expect(readWhole(client, current, ['a.example'])).rejects.toEqual(
      mismatch('#1 for a.example and keep.example'),
    );
  });

  test.each([
    ['same', true],
    [undefined, true],
    ['distinct', false],
  ] as const)('one ID for both www variants is accepted with service.www %s: %s', async (www, isFine) => {
    const service = await scripted({ dialect, records: [{ domain: 'www.a.example', email: 1 }] });
    service.dialect = {
      ...service.dialect,
      listedAs: (records) => records.map((record) => ({ ...record, domain: 'a.example' })),
    };
    const reading = readBy(connect(service), [want('a.example', 'email')], { www });
    if (!isFine) return expect(reading).rejects.toEqual(mismatch('a.example and www.a.example'));
    // The record keeps the domain that lists show.
    const one = { domain: 'a.example', id: '1', settings: { email: true } };
    expect((await reading).websites).toMatchObject([one]);
  });
});
