import { expect, test } from 'vitest';
import {
  decodeOne,
  decodePage,
  decodeRecord,
  decodeShown,
  ShapeError,
  type Shown,
  shareShown,
} from '../../src/client/decode.ts';
import type { Settings } from '../../src/model/field-table.ts';

/** A record of a Laravel deployment. */
const RECORD = {
  id: 4,
  domain: 'shop.example.com',
  privacy: 2,
  password: true,
  email: 0,
  exclude_bots: 1,
  exclude_params: 'utm_source\r\nutm_medium',
  exclude_ips: null,
  favorited_at: '2024-02-03 04:05:06',
  created_at: '2026-11-20T23:53:11.000000Z',
  updated_at: '2026-11-20T23:53:11.000000Z',
};

const SETTINGS: Settings = {
  privacy: 2,
  email: false,
  exclude_bots: true,
  exclude_params: ['utm_source', 'utm_medium'],
  exclude_ips: [],
  favorited_at: '2024-02-03T04:05:06Z',
};

function shapeErrorOf(decode: () => unknown): ShapeError {
  try {
    decode();
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
  throw new Error('it was decoded');
}

test.each<[string, object, Settings]>([
  ['null values', { privacy: null, email: null, exclude_ips: null }, { email: null, exclude_ips: [] }],
  [
    'empty values',
    { privacy: '', exclude_ips: '', favorited_at: '' },
    { exclude_ips: [], favorited_at: null },
  ],
  ['the favorite as a boolean', { favorite: true }, { favorited_at: true }],
  ['the favorite as 0', { favorite: 0 }, { favorited_at: null }],
  [
    'both forms of the favorite',
    { favorite: true, favorited_at: '2024-02-03 04:05:06' },
    { favorited_at: '2024-02-03T04:05:06Z' },
  ],
  ['only an ID and a domain', {}, {}],
  ['unknown members', { owner: { id: 9 }, settings: { privacy: 0 }, __proto__x: 1 }, {}],
])('a record with %s is decoded', (_, members, settings) => {
  const website = decodeRecord({ id: 1, domain: 'a.com', ...members });
  expect(website).toEqual({ id: '1', domain: 'a.com', settings });
});

test.each([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
  ['', false],
  [null, false],
  ['hunter2', true],
])('a password shown as %j counts as set: %j', (password, passwordSet) => {
  const record = decodeRecord({ id: 1, domain: 'a.com', password });
  expect(record.passwordSet).toBe(passwordSet);
  expect(JSON.stringify(record)).not.toContain('hunter2');
});

test('a record without a domain gets the requested domain', () => {
  expect(decodeRecord({ id: 1 }, undefined, 'a.com').domain).toBe('a.com');
  expect(decodeRecord({ id: 1, domain: 'b.com' }, undefined, 'a.com').domain).toBe('b.com');
  expect(shapeErrorOf(() => decodeRecord({ id: 1, domain: null }, undefined, 'a.com')).path).toBe('domain');
});

test.each<[string, unknown, string]>([
  ['privacy', 'open', 'a string (expected a number)'],
  ['privacy', 2 ** 53, 'a number (the number is too large to be exact)'],
  ['email', '9007199254740993', 'a string (the number is too large to be exact)'],
  ['exclude_ips', 5, 'a number (expected a string with one item per line)'],
  ['exclude_params', [1], 'a list (expected a string with one item per line)'],
  ['favorited_at', 1e300, 'a number (expected a time)'],
  ['favorited_at', { date: 'now' }, 'an object (expected a time or a boolean)'],
])('a setting with an invalid value is reported, and the others are read: %s %j', (name, raw, holds) => {
  const website = decodeRecord({ id: 1, domain: 'a.com', exclude_bots: 1, [name]: raw });
  expect(website).toMatchObject({ settings: { exclude_bots: true }, unreadable: { [name]: holds } });
  expect(website.settings).not.toHaveProperty(name);
});

test.each<[unknown, string, string]>([
  [null, '', 'expected a record'],
  ['x', '', 'expected a record'],
  [[], '', 'expected a record'],
  [{}, 'id', 'expected an id'],
  [{ domain: 'a.com' }, 'id', 'expected an id'],
  [{ id: {}, domain: 'a.com' }, 'id', 'expected an id'],
  [{ id: 1.5, domain: 'a.com' }, 'id', 'expected an id'],
  [{ id: 2 ** 53, domain: 'a.com' }, 'id', 'too large to be exact'],
  [{ id: '..', domain: 'a.com' }, 'id', 'expected an id'],
  [{ id: 'a\nb', domain: 'a.com' }, 'id', 'expected an id'],
  [{ id: 1 }, 'domain', 'expected a string'],
  [{ id: 1, domain: 5 }, 'domain', 'expected a string'],
  [JSON.parse('{"__proto__":{"id":1,"domain":"a.com"}}'), 'id', 'expected an id'],
])('a record %j is an error at the path "%s"', (raw, path, message) => {
  const error = shapeErrorOf(() => decodeRecord(raw));
  expect(error.path).toBe(path);
  expect(error.message).toContain(message);
});

test.each([['7'], ['...'], ['01HV8Z5'], ['c56a4180-65aa-42ec-a945-5fd21dec0538'], ['hash_id=='], ['a..b']])(
  'an ID can be a string such as %j',
  (id) => {
    expect(decodeRecord({ id, domain: 'a.com' }).id).toBe(id);
  },
);

test.each<[string, unknown]>([
  ['at the top', { id: 4, domain: 'a.com' }],
  ['under data', { data: { id: 4, domain: 'a.com' }, status: 200 }],
  ['under another single member', { website: { id: 4, domain: 'a.com' }, status: 200 }],
  ['under data, with a request ID', { id: 'req-1', data: { id: 4, domain: 'a.com' } }],
  ['at the top, after a delete', { id: 4, object: 'website', deleted: true, status: 200 }],
  ['at the top, next to data', { id: 4, domain: 'a.com', data: { owner: 9 } }],
  ['at the top, with an object inside', { id: 4, domain: 'a.com', owner: { id: 9, domain: 'b.com' } }],
])('a record is decoded from a response that has it %s', (_, raw) => {
  expect(decodeOne(raw, undefined, 'a.com')).toMatchObject({ id: '4', domain: 'a.com' });
});

test.each<[unknown, string]>([
  [{ data: null }, 'data'],
  [{ data: [] }, 'data'],
  [{ data: [{ id: 4 }] }, 'data'],
  [{ data: { id: 4 } }, 'data.domain'],
  [{ data: { domain: 'a.com' } }, 'data.id'],
  [{ website: { id: 4 }, owner: { id: 9 } }, 'id'],
  [{}, 'id'],
  [null, ''],
  ['', ''],
])('%j is not a record, and the error names the path "%s"', (raw, path) => {
  expect(shapeErrorOf(() => decodeOne(raw)).path).toBe(path);
});

const page = (...records: object[]) => {
  const all = records.map((record, index) => ({ ...RECORD, ...record, id: index }));
  const [data, read] = [JSON.parse(JSON.stringify(all)), shareShown()];
  return { ...decodePage({ data }, read), shown: [...new Set<Shown>(data.map(read))] };
};

test('records with equal settings share one object, with a password or without', () => {
  const { records, shown } = page({}, { domain: 'other.example', password: false });
  const [one, other] = records;
  expect(one?.settings).toEqual(SETTINGS);
  expect(other?.settings).toBe(one?.settings);
  expect([one?.passwordSet, other?.passwordSet]).toEqual([true, false]);
  expect(other?.domain).toBe('other.example');
  expect(shown.map(({ settings }) => settings)).toEqual([SETTINGS]);
});

test.each<[string, object, object]>([
  ['a number and the same number as text', { privacy: 1 }, { privacy: '01' }],
  ['a list and the same list as text', { exclude_params: ['a'] }, { exclude_params: '["a"]' }],
  [
    'a separator in a text',
    { exclude_params: 'a', exclude_ips: 'b' },
    { exclude_params: 'a,"b"', exclude_ips: null },
  ],
  ['null and a missing value', { exclude_ips: null }, { exclude_ips: undefined }],
  ['unequal names', { favorited_at: null, favorite: undefined }, { favorited_at: undefined, favorite: null }],
])('records with %s do not share settings', (_, a, b) => {
  const [both, one, other] = [page(a, b), page(a), page(b)];
  expect(both.records).toEqual(
    [...one.records, ...other.records].map((record, index) => ({ ...record, id: String(index) })),
  );
  expect(both.shown).toEqual([...one.shown, ...other.shown]);
});

test('records with equal settings share one object, for up to 10,000 different settings', () => {
  const read = shareShown();
  const raw = (index: number) => ({ exclude_params: `p${index}` });
  for (let index = 0; index < 10_000; index += 1) read(raw(index));
  expect(read(raw(9999))).toBe(read(raw(9999)));
  expect(read(raw(10_000))).not.toBe(read(raw(10_000)));
});

test.each([
  [{ favorite: '2026-01-31 09:00:00' }, {}, true],
  [{ favorited_at: '2026-01-31 09:00:00' }, { favorited_at: 'favorite' }, true],
  [{ favorited_at: null }, { favorited_at: 'favorite' }, null],
  [{ favorite: '2026-01-31 09:00:00' }, { favorited_at: 'favorited_at' }, '2026-01-31T09:00:00Z'],
])('the favorite %j with the name setting %j is decoded as %j', (raw, pinned, value) => {
  expect(decodeShown(raw, pinned).settings).toEqual({ favorited_at: value });
});

const records = [
  { id: 2, domain: 'b.com' },
  { id: 1, domain: 'a.com' },
];

test.each<[string, unknown, object]>([
  ['a total as text', { data: records, meta: { total: '20' } }, { total: 20 }],
  [
    'links and a total at the top',
    { current_page: 1, data: records, next_page_url: null, per_page: 10, total: 2 },
    { total: 2, next: null },
  ],
  ['data and another array', { data: records, included: [] }, {}],
  ['another array and an empty list of errors', { websites: records, errors: [] }, {}],
  ...[-1, 'ten', 1.5, null, '', ' ', ['20'], { toString: 0 }].map((total): [string, unknown, object] => [
    `an invalid total: ${JSON.stringify(total)}`,
    { data: records, meta: { total } },
    {},
  ]),
  ['an empty next link', { data: records, links: { next: '' } }, {}],
  ['a missing next link', { data: records, links: { next: undefined } }, {}],
])('a page with %s is decoded', (_, raw, facts) => {
  const { records: decoded, envelope: _envelope, ...said } = decodePage(raw);
  expect(decoded.map(({ id }) => id)).toEqual(['2', '1']);
  expect(said).toEqual(facts);
});

test('a page past the end is decoded as empty', () => {
  expect(decodePage({ data: [], links: { next: null }, meta: { total: 20 } })).toMatchObject({
    ...{ records: [], envelope: 'data', total: 20, next: null },
  });
});

// Otherwise an empty list of something else would look like a service without records.
test.each<[unknown, string]>([
  [null, ''],
  ['', ''],
  [5, ''],
  [{}, 'data'],
  [{ status: 200 }, 'data'],
  [{ data: null }, 'data'],
  [{ data: {} }, 'data'],
  [{ data: null, websites: [] }, 'data'],
  [{ message: 'Try again later.', errors: [] }, 'data'],
  [{ messages: [] }, 'data'],
  [{ websites: records, archived: [] }, 'data'],
  [{ data: [null] }, 'data.0'],
  [{ data: [records[0], { id: 3 }] }, 'data.1.domain'],
  [[{ id: 3 }], '0.domain'],
  [JSON.parse('{"__proto__":{"data":[]}}'), 'data'],
])('a page %j is an error at the path "%s"', (raw, path) => {
  expect(shapeErrorOf(() => decodePage(raw)).path).toBe(path);
});
