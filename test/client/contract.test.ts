import { describe, expect, test } from 'vitest';
import {
  createFormEncoder,
  decodeOne,
  decodePage,
  decodeRecord,
  encodeForm,
  listPath,
  recordPath,
} from '../../src/client/contract.ts';
import { shareShown } from '../../src/client/decode-settings.ts';
import { ShapeError } from '../../src/client/shape.ts';
import type { Settings } from '../../src/model/field-table.ts';
import { Secret } from '../../src/model/secret.ts';

/** A record as a Laravel deployment answers it. */
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

const link = (page: number): string => `https://analytics.example.com/api/v1/websites?page=${page}`;

function shapeErrorOf(decode: () => unknown): ShapeError {
  try {
    decode();
  } catch (error) {
    if (error instanceof ShapeError) return error;
    throw error;
  }
  throw new Error('it was decoded');
}

describe('paths', () => {
  test('a list carries the parameters that are given', () => {
    expect(listPath({ per_page: 100, sort_by: 'id', sort: 'desc' })).toBe(
      '/api/v1/websites?per_page=100&sort_by=id&sort=desc',
    );
    expect(listPath({ search: 'a&b=c%', search_by: 'domain' })).toBe(
      '/api/v1/websites?search=a%26b%3Dc%25&search_by=domain',
    );
  });

  test('an id never leaves its segment', () => {
    expect(recordPath('4')).toBe('/api/v1/websites/4');
    expect(recordPath('a/b?c#d')).toBe('/api/v1/websites/a%2Fb%3Fc%23d');
  });
});

describe('encodeForm', () => {
  const form = (...parameters: Parameters<typeof encodeForm>): Record<string, string> =>
    Object.fromEntries(new URLSearchParams(encodeForm(...parameters)));

  test('sends what is given, in the order of the table, and nothing else', () => {
    expect(encodeForm({ email: true, privacy: 1 }, {}, 'a.com')).toBe('domain=a.com&privacy=1&email=1');
    expect(encodeForm({}, {})).toBe('');
  });

  test('every field, and a secret revealed', () => {
    const password = new Secret('p&ss=wörd +%');
    expect(form({ ...SETTINGS, password }, {})).toEqual({
      privacy: '2',
      password: 'p&ss=wörd +%',
      email: '0',
      exclude_bots: '1',
      exclude_params: 'utm_source\nutm_medium',
      exclude_ips: '',
      favorited_at: '2024-02-03T04:05:06',
    });
  });

  test('null clears', () => {
    const cleared = { password: null, exclude_params: [], favorited_at: null };
    expect(form(cleared, {})).toEqual({ password: '', exclude_params: '', favorited_at: '' });
    expect(form(cleared, { favorited_at: 'favorite' })).toMatchObject({ favorite: '0' });
  });

  test.each([
    [true, { favorited_at: 'favorite' }, { favorite: '1' }],
    ['2024-02-03T04:05:06Z', { favorited_at: 'favorite' }, { favorite: '1' }],
    ['2024-02-03T04:05:06Z', { favorited_at: 'favorited_at' }, { favorited_at: '2024-02-03T04:05:06' }],
  ])('a favorite of %j, with %j, is %j', (favorited_at, wireNames, sent) => {
    expect(form({ favorited_at }, wireNames)).toEqual(sent);
  });

  test('a value cannot smuggle another field in', () => {
    const sent = form({ exclude_params: ['x&email=1', 'y=ü'] }, {}, 'a.com&privacy=0');
    expect(sent).toEqual({ domain: 'a.com&privacy=0', exclude_params: 'x&email=1\ny=ü' });
  });

  test('made by an encoder is made again of the same values once the service is seen to use other names', () => {
    const values = { email: true, favorited_at: '2026-01-31T09:00:00Z' };
    const encode = createFormEncoder();
    const names = { favorited_at: 'favorite' };
    const once = encode(values, {}, 'a.example.com');
    expect(encode(values, names, 'b.example.com')).toBe('domain=b.example.com&email=1&favorite=1');
    expect(encode(values, {}, 'a.example.com')).toBe(once);
    expect(encode({}, {}, 'a.example.com')).toBe('domain=a.example.com');
    expect(encode({}, {})).toBe('');
    expect(encode(values, {}, 'c.example.com')).toBe(encodeForm(values, {}, 'c.example.com'));
  });

  test('made by an encoder keeps no secret: the same values with another password are another form', () => {
    const secret = { text: 'first', reveal: () => secret.text };
    const values = { password: Object.setPrototypeOf(secret, Secret.prototype) };
    const encode = createFormEncoder();
    const names = {};
    expect(encode(values, names)).toBe('password=first');
    secret.text = 'second';
    expect(encode(values, names)).toBe('password=second');
  });
});

describe('decodeRecord', () => {
  test('of a Laravel deployment', () => {
    const { website, shown } = decodeRecord(RECORD);
    expect(website).toEqual({
      id: '4',
      domain: 'shop.example.com',
      settings: SETTINGS,
      passwordSet: true,
    });
    expect(shown.wireNames.favorited_at).toBe('favorited_at');
  });

  test.each<[string, object, Settings]>([
    [
      'numbers as text',
      { privacy: '2', email: '0', exclude_bots: '1' },
      { privacy: 2, email: false, exclude_bots: true },
    ],
    ['booleans', { email: true, exclude_bots: false }, { email: true, exclude_bots: false }],
    ['nothing as null', { privacy: null, email: null, exclude_ips: null }, { email: null, exclude_ips: [] }],
    [
      'nothing as empty text',
      { privacy: '', exclude_ips: '', favorited_at: '' },
      { exclude_ips: [], favorited_at: null },
    ],
    ['the favourite as a boolean', { favorite: true }, { favorited_at: true }],
    ['the favourite as 0', { favorite: 0 }, { favorited_at: null }],
    [
      'both forms of the favourite',
      { favorite: true, favorited_at: '2024-02-03 04:05:06' },
      { favorited_at: '2024-02-03T04:05:06Z' },
    ],
    ['nothing but an id and a domain', {}, {}],
    ['members that nobody knows', { owner: { id: 9 }, settings: { privacy: 0 }, __proto__x: 1 }, {}],
  ])('%s', (_, members, settings) => {
    const { website } = decodeRecord({ id: 1, domain: 'a.com', ...members });
    expect(website).toEqual({ id: '1', domain: 'a.com', settings });
  });

  test('shows which form of the favorite is in use', () => {
    expect(decodeRecord({ id: 1, domain: 'a.com', favorite: false }).shown.wireNames).toEqual({
      favorited_at: 'favorite',
    });
    expect(decodeRecord({ id: 1, domain: 'a.com' }).shown.wireNames).toEqual({});
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
  ])('a password shown as %j: one is set, %j', (password, passwordSet) => {
    const record = decodeRecord({ id: 1, domain: 'a.com', password });
    expect(record.website.passwordSet).toBe(passwordSet);
    expect(JSON.stringify(record)).not.toContain('hunter2');
  });

  test('the domain that was asked for stands in only where none is shown', () => {
    expect(decodeRecord({ id: 1 }, 'a.com').website.domain).toBe('a.com');
    expect(decodeRecord({ id: 1, domain: 'b.com' }, 'a.com').website.domain).toBe('b.com');
    expect(shapeErrorOf(() => decodeRecord({ id: 1, domain: null }, 'a.com')).path).toBe('domain');
  });

  test.each<[string, unknown, string]>([
    ['privacy', 'open', 'a text (expected a number)'],
    ['privacy', 2 ** 53, 'a number (the number is too large to be exact)'],
    ['email', '9007199254740993', 'a text (the number is too large to be exact)'],
    ['exclude_ips', 5, 'a number (expected text with one item per line)'],
    ['exclude_params', [1], 'a list (expected text with one item per line)'],
    ['favorited_at', 1e300, 'a number (expected a time)'],
    ['favorited_at', { date: 'now' }, 'an object (expected a time or a boolean)'],
  ])('a setting that cannot be read is told of, and the others are read: %s %j', (name, raw, holds) => {
    const { website } = decodeRecord({ id: 1, domain: 'a.com', exclude_bots: 1, [name]: raw });
    expect(website).toMatchObject({ settings: { exclude_bots: true }, unreadable: { [name]: holds } });
    expect(website.settings).not.toHaveProperty(name);
  });

  test.each<[unknown, string, string]>([
    [null, 'the answer', 'expected a record'],
    ['x', 'the answer', 'expected a record'],
    [[], 'the answer', 'expected a record'],
    [{}, 'id', 'expected an id'],
    [{ domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: null, domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: '', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: {}, domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: 1.5, domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: 2 ** 53, domain: 'a.com' }, 'id', 'too large to be exact'],
    [{ id: '.', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: '..', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: ' ', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: 'a\nb', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: '\ud800', domain: 'a.com' }, 'id', 'expected an id'],
    [{ id: 1 }, 'domain', 'expected text'],
    [{ id: 1, domain: 5 }, 'domain', 'expected text'],
    [JSON.parse('{"__proto__":{"id":1,"domain":"a.com"}}'), 'id', 'expected an id'],
  ])('refuses %j at %s', (raw, path, message) => {
    const error = shapeErrorOf(() => decodeRecord(raw));
    expect(error.path).toBe(path);
    expect(error.message).toContain(message);
  });

  test.each([['7'], ['...'], ['01HV8Z5'], ['c56a4180-65aa-42ec-a945-5fd21dec0538'], ['hash_id=='], ['a..b']])(
    'ids may be text such as %j',
    (id) => {
      expect(decodeRecord({ id, domain: 'a.com' }).website.id).toBe(id);
    },
  );
});

describe('decodeOne', () => {
  test.each<[string, unknown]>([
    ['bare', { id: 4, domain: 'a.com' }],
    ['under data', { data: { id: 4, domain: 'a.com' }, status: 200 }],
    ['under another single member', { website: { id: 4, domain: 'a.com' }, status: 200 }],
    ['under data, with the id of the request beside it', { id: 'req-1', data: { id: 4, domain: 'a.com' } }],
    ['the answer to a delete', { id: 4, object: 'website', deleted: true, status: 200 }],
    ['bare, with data that is no record', { id: 4, domain: 'a.com', data: { owner: 9 } }],
    ['bare, with an object inside', { id: 4, domain: 'a.com', owner: { id: 9, domain: 'b.com' } }],
  ])('%s', (_, raw) => {
    expect(decodeOne(raw, 'a.com').website).toMatchObject({ id: '4', domain: 'a.com' });
  });

  test.each<[unknown, string]>([
    [{ data: null }, 'data'],
    [{ data: [] }, 'data'],
    [{ data: [{ id: 4 }] }, 'data'],
    [{ data: { id: 4 } }, 'data.domain'],
    [{ data: { domain: 'a.com' } }, 'data.id'],
    [{ website: { id: 4 }, owner: { id: 9 } }, 'id'],
    [{}, 'id'],
    [null, 'the answer'],
    ['', 'the answer'],
  ])('refuses %j at %s', (raw, path) => {
    expect(shapeErrorOf(() => decodeOne(raw)).path).toBe(path);
  });
});

describe('what records have shown before', () => {
  const page = (...records: object[]) => {
    const data = records.map((record, index) => ({ ...RECORD, ...record, id: index }));
    return decodePage(JSON.parse(JSON.stringify({ data })), shareShown());
  };

  test('is shared by those that show the same, password or not', () => {
    const { records, shown } = page({}, { domain: 'other.example', password: false });
    const [one, other] = records;
    expect(one?.settings).toEqual(SETTINGS);
    expect(other?.settings).toBe(one?.settings);
    expect([one?.passwordSet, other?.passwordSet]).toEqual([true, false]);
    expect(other?.domain).toBe('other.example');
    expect([...shown].map(({ settings }) => settings)).toEqual([SETTINGS]);
  });

  test.each<[string, object, object]>([
    ['a number and its text', { privacy: 1 }, { privacy: '01' }],
    [
      'a text with what looks like the next',
      { exclude_params: 'a', exclude_ips: 'b' },
      { exclude_params: 'a,"b"', exclude_ips: null },
    ],
    ['null and nothing', { exclude_ips: null }, { exclude_ips: undefined }],
    [
      'another name',
      { favorited_at: null, favorite: undefined },
      { favorited_at: undefined, favorite: null },
    ],
  ])('is not confused: %s', (_, a, b) => {
    const [both, one, other] = [page(a, b), page(a), page(b)];
    expect(both.records).toEqual(
      [...one.records, ...other.records].map((record, index) => ({ ...record, id: String(index) })),
    );
    expect([...both.shown]).toEqual([...one.shown, ...other.shown]);
  });
});

describe('decodePage', () => {
  const records = [
    { id: 2, domain: 'b.com' },
    { id: 1, domain: 'a.com' },
  ];
  const links = { first: link(1), last: link(2), prev: null, next: link(2) };

  test.each<[string, unknown, object]>([
    [
      'with a total',
      {
        data: records,
        links,
        meta: {
          current_page: 1,
          from: 1,
          last_page: 2,
          links: [{ url: null, label: '1', active: true }],
          path: link(1),
          per_page: 10,
          to: 2,
          total: 20,
        },
        status: 200,
      },
      { total: 20, next: link(2) },
    ],
    ['with a total as text', { data: records, meta: { total: '20' } }, { total: 20 }],
    [
      'without a total, another page to come',
      { data: records, links: { ...links, last: null }, meta: { current_page: 1, per_page: 10 } },
      { next: link(2) },
    ],
    [
      'without a total, the last page',
      { data: records, links: { first: link(1), last: null, prev: link(1), next: null } },
      { next: null },
    ],
    [
      'with cursors',
      {
        data: records,
        links: { first: null, last: null, prev: null, next: `${link(1)}&cursor=abc` },
        meta: { path: link(1), per_page: 10 },
      },
      { next: `${link(1)}&cursor=abc` },
    ],
    [
      'with links and a total at the top',
      { current_page: 1, data: records, next_page_url: null, per_page: 10, total: 2 },
      { total: 2, next: null },
    ],
    ['a bare array', records, {}],
    ['under another single array member', { websites: records, status: 200 }, {}],
    ['data beside another array', { data: records, included: [] }, {}],
    ['another array beside errors that are none', { websites: records, errors: [] }, {}],
    ...[-1, 'ten', 1.5, null, '', ' '].map((total): [string, unknown, object] => [
      `a total that is none: ${JSON.stringify(total)}`,
      { data: records, meta: { total } },
      {},
    ]),
    ['a next link that is none proves nothing', { data: records, links: { next: '' } }, {}],
    ['nor does one that is no text', { data: records, links: { next: 2 } }, {}],
    ['a missing next link proves nothing', { data: records, links: { next: undefined } }, {}],
  ])('%s', (_, raw, facts) => {
    const { records: decoded, shown: __, ...said } = decodePage(raw);
    expect(decoded.map(({ id }) => id)).toEqual(['2', '1']);
    expect(said).toEqual(facts);
  });

  test('past the end', () => {
    expect(decodePage({ data: [], links: { next: null }, meta: { total: 20 } })).toEqual({
      records: [],
      shown: new Set(),
      total: 20,
      next: null,
    });
    expect(decodePage({ data: [], meta: { total: 0 } })).toEqual({ records: [], shown: new Set(), total: 0 });
    expect(decodePage([])).toEqual({ records: [], shown: new Set() });
  });

  // An empty list that is none would be taken for a service without records.
  test.each<[unknown, string]>([
    [null, 'the answer'],
    ['', 'the answer'],
    [5, 'the answer'],
    [{}, 'data'],
    [{ status: 200 }, 'data'],
    [{ data: null }, 'data'],
    [{ data: {} }, 'data'],
    [{ data: { 0: records[0], 2: records[1] } }, 'data'],
    [{ data: null, websites: [] }, 'data'],
    [{ data: null, errors: [] }, 'data'],
    [{ message: 'Try again later.', errors: [] }, 'data'],
    [{ warnings: [] }, 'data'],
    [{ messages: [] }, 'data'],
    [{ links: [] }, 'data'],
    [{ websites: records, archived: [] }, 'data'],
    [{ data: [null] }, 'data.0'],
    [{ data: [records[0], { id: 3 }] }, 'data.1.domain'],
    [[{ id: 3 }], '0.domain'],
    [JSON.parse('{"__proto__":{"data":[]}}'), 'data'],
  ])('refuses %j at %s', (raw, path) => {
    expect(shapeErrorOf(() => decodePage(raw)).path).toBe(path);
  });
});
