import { expect, test } from 'vitest';
import {
  choice,
  flag,
  type Kind,
  Mismatch,
  oneLine,
  presence,
  secret,
  set,
  type Value,
} from '../../src/model/field-types.ts';
import { canonicalAddress } from '../../src/model/ip-address.ts';

const kinds = {
  flag: flag(),
  choice: choice({ public: 0, private: 1, password: 2 }),
  params: set('a query parameter', oneLine),
  ips: set('an IP address or network', canonicalAddress),
  presence: presence('favorite'),
  secret: secret(),
} as const satisfies Record<string, Kind>;

type Name = keyof typeof kinds;

const T = '2026-01-31T09:00:00Z';

test.each<[Name, unknown, Value]>([
  ['flag', true, true],
  ['flag', false, false],
  ['flag', 1, true],
  ['flag', '1', true],
  ['flag', 'yes', true],
  ['flag', 'TRUE', true],
  ['flag', 'No', false],
  ['flag', 'false', false],
  ['choice', 'public', 0],
  ['choice', 7, 7],
  ['params', [], []],
  ['params', ['a'], ['a']],
  ['params', ['b', ' a ', 'b'], ['b', 'a']],
  ['params', ['__proto__', 'ä b'], ['__proto__', 'ä b']],
  ['ips', ['2001:DB8:0::1', '2001:db8::1', '192.0.2.0/24'], ['2001:db8::1', '192.0.2.0/24']],
  ['presence', '2026-01-31T10:00:00+01:00', T],
  ['presence', '2026-01-31 09:00:00.9', T],
  ['presence', null, null],
  ['secret', { env: 'NAME' }, { env: 'NAME' }],
  ['secret', { file: './x' }, { file: './x' }],
  ['secret', 'hunter2', { yaml: '' }],
  ['secret', 'x', { yaml: '' }],
  ['secret', null, null],
])('a value of the type %s in YAML is read: %j is %j', (name, raw, value) => {
  expect(kinds[name].input.parse(raw)).toEqual(value);
});

test.each<[Name, unknown, string]>([
  ['flag', 2, 'must be true or false'],
  ['flag', ' yes', 'must be true or false'],
  ['flag', null, 'must be true or false'],
  ['choice', null, 'must be public, private, password or a number (0, 1, 2)'],
  ['choice', '1', 'must be public'],
  ['choice', '__proto__', 'must be public'],
  ['choice', -1, 'must be public'],
  ['choice', 1e20, 'must be public'],
  ['choice', Number.NaN, 'must be public'],
  ['params', 'utm_source', 'must be a list'],
  ['params', { a: 1 }, 'must be a list'],
  ['params', [1], 'must be a query parameter, as a string'],
  ['params', [' '], '" " is not a query parameter'],
  ['params', ['a\nb'], 'is not a query parameter'],
  ['params', ['a\u0000'], 'is not a query parameter'],
  ['params', ['a\tb'], 'is not a query parameter'],
  ['params', ['a\u007fb'], 'is not a query parameter'],
  ['params', [''], '"" is not a query parameter'],
  ['ips', ['1.2.3'], '"1.2.3" is not an IP address or network'],
  ['ips', ['192.0.2.0/33'], 'is not an IP address or network'],
  ['presence', '2023-02-29', '"2023-02-29" is not a time that exists, such as 2026-01-31T09:00:00'],
  ['presence', '31.01.2026', '"31.01.2026" is not a time that exists, such as 2026-01-31T09:00:00'],
  ['presence', true, 'must be a time'],
  ['secret', '', 'must be { env: NAME }, { file: PATH } or a string'],
  ['secret', 5, 'must be { env: NAME }'],
  ['secret', { env: 'A', file: 'B' }, 'must be { env: NAME }'],
  ['secret', { file: 'A', default: 'B' }, 'must be { env: NAME }'],
  ['secret', { yaml: 'x' }, 'must be { env: NAME }'],
])('a value of the type %s in YAML cannot be %j', (name, raw, message) => {
  const result = kinds[name].input.safeParse(raw);
  expect(result.success).toBe(false);
  expect(result.error?.issues[0]?.message).toContain(message);
});

test('an error about an invalid secret in YAML does not repeat it', () => {
  const result = kinds.secret.input.safeParse({ env: 'A', literal: 'hunter2' });
  expect(result.success).toBe(false);
  expect(JSON.stringify(result.error)).not.toContain('hunter2');
});

test.each<[Name, unknown, Value | undefined]>([
  ['flag', 1, true],
  ['flag', 0, false],
  ['flag', '1', true],
  ['flag', ' 0 ', false],
  ['flag', true, true],
  ['flag', false, false],
  ['flag', null, null],
  ['flag', 2, 2],
  ['choice', 2, 2],
  ['choice', '2', 2],
  ['choice', true, 1],
  ['choice', 9, 9],
  ['choice', null, undefined],
  ['params', null, []],
  ['params', '', []],
  ['params', 'a', ['a']],
  ['params', 'a\r\nb\nc\rd', ['a', 'b', 'c', 'd']],
  ['params', '\n a \n\n a\n', ['a']],
  ['params', ['a', ' b', ''], ['a', 'b']],
  ['ips', '2001:DB8::0001\r\n192.0.2.1\r\n', ['2001:db8::1', '192.0.2.1']],
  ['ips', 'not an ip\n192.0.2.1', ['not an ip', '192.0.2.1']],
  ['presence', '2026-01-31 09:00:00', T],
  ['presence', '2026-01-31T09:00:00.000000Z', T],
  ['presence', '2026-01-31T11:00:00+02:00', T],
  ['presence', 1_769_850_000, T],
  ['presence', null, null],
  ['presence', '', null],
  ['presence', false, null],
  ['presence', '0', null],
  ['presence', '0000-00-00 00:00:00', null],
  ['presence', true, true],
  ['presence', '1', true],
  ['secret', 'hunter2', undefined],
  ['secret', true, undefined],
])('a value of the type %s in a response is read: %j is %j', (name, raw, value) => {
  expect(kinds[name].readAnswer(raw)).toEqual(value);
});

test.each<[Name, unknown, string]>([
  ['flag', 'yes', 'expected a number'],
  ['flag', {}, 'expected a number'],
  ['choice', '1.5', 'expected a number'],
  ['params', 5, 'expected a string'],
  ['params', [1], 'expected a string'],
  ['presence', 'soon', 'expected a time'],
  ['presence', [], 'expected a time'],
  ['presence', 1e20, 'expected a time'],
  ['presence', 1_769_850_000_000, 'expected a time'],
  ['flag', Number.POSITIVE_INFINITY, 'too large'],
  ['flag', 2 ** 53, 'too large'],
  ['flag', '9007199254740993', 'too large'],
  ['presence', Number.POSITIVE_INFINITY, 'expected a time'],
])('a value of the type %s in a response cannot be %j', (name, raw, message) => {
  const read = (): unknown => kinds[name].readAnswer(raw);
  expect(read).toThrow(Mismatch);
  expect(read).toThrow(message);
});

test('a megabyte of white space in a response is read quickly', () => {
  const blank = ' '.repeat(1_000_000);
  expect(() => kinds.flag.readAnswer(`${blank}x`)).toThrow(Mismatch);
  expect(kinds.flag.readAnswer(blank)).toBeNull();
  expect(kinds.params.readAnswer(`${blank}x${blank}`)).toEqual(['x']);
  expect(() => kinds.presence.readAnswer(`2026-01-31${blank}x`)).toThrow(Mismatch);
});

test.each<[Name, Value, string, string]>([
  ['flag', true, 'email', '1'],
  ['flag', false, 'email', '0'],
  ['flag', 2, 'email', '2'],
  ['choice', 2, 'privacy', '2'],
  ['params', ['a', 'b'], 'exclude_params', 'a\nb'],
  ['params', [], 'exclude_params', ''],
  ['params', null, 'exclude_params', ''],
  ['presence', T, 'favorited_at', '2026-01-31T09:00:00'],
  ['presence', null, 'favorited_at', ''],
  ['presence', T, 'favorite', '1'],
  ['presence', true, 'favorite', '1'],
  ['presence', null, 'favorite', '0'],
  ['secret', null, 'password', ''],
  ['secret', { env: 'NAME' }, 'password', ''],
])('a value of the type %s is sent in a form: %j as %s=%j', (name, value, wire, text) => {
  expect(kinds[name].encode(value, wire)).toBe(text);
});

test.each<[Name, Value, Value, boolean]>([
  ['flag', true, true, true],
  ['flag', true, false, false],
  ['choice', 2, 2, true],
  ['choice', 0, 1, false],
  ['params', ['a', 'b'], ['b', 'a'], true],
  ['params', ['a', 'a'], ['a'], true],
  ['params', ['a', 'a'], ['a', 'b'], false],
  ['params', ['a'], ['A'], false],
  ['params', [], null, true],
  ['presence', T, T, true],
  ['presence', T, '2026-01-31T09:00:01Z', false],
  ['presence', true, T, true],
  ['presence', T, true, true],
  ['presence', true, null, false],
  ['presence', T, null, false],
  ['presence', null, T, false],
  ['presence', null, null, true],
  ['secret', { env: 'A' }, { env: 'A' }, true],
  ['secret', { env: 'A' }, { env: 'B' }, false],
  ['secret', { env: 'A' }, null, false],
  ['secret', null, null, true],
])('a value of the type %s is compared: %j and %j, equal %j', (name, desired, current, equal) => {
  expect(kinds[name].equal(desired, current)).toBe(equal);
});

test.each<[Name, Value, string | readonly string[]]>([
  ['flag', true, 'true'],
  ['flag', false, 'false'],
  ['flag', 2, '2'],
  ['choice', 1, 'private'],
  ['choice', 9, '9'],
  ['params', ['b', 'a'], ['b', 'a']],
  ['params', null, []],
  ['presence', T, T],
  ['presence', true, 'true'],
  ['presence', null, 'null'],
  ['secret', { env: 'NAME' }, '(sensitive)'],
  ['secret', null, 'null'],
])('a value of the type %s is printed: %j as %j', (name, value, text) => {
  expect(kinds[name].show(value)).toEqual(text);
});
