import { expect, test } from 'vitest';
import { FIELD_NAMES, FIELDS, type FieldName, PRIVACY, READABLE_NAMES } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';

test('the table of fields has the fields of the API, in its order', () => {
  expect(FIELD_NAMES).toEqual([
    'privacy',
    'password',
    'email',
    'exclude_bots',
    'exclude_params',
    'exclude_ips',
    'favorited_at',
  ]);
  expect(FIELD_NAMES.flatMap((name) => FIELDS[name].wire)).toEqual([...FIELD_NAMES, 'favorite']);
});

test('every field except the password can be read back from the service', () => {
  expect(READABLE_NAMES).toEqual(FIELD_NAMES.filter((name) => name !== 'password'));
});

test('null is a value only for fields that can be cleared', () => {
  const takesNull = FIELD_NAMES.filter((name) => FIELDS[name].kind.input.safeParse(null).success);
  expect(takesNull).toEqual(['password', 'exclude_params', 'exclude_ips', 'favorited_at']);
  expect(takesNull).toEqual(FIELD_NAMES.filter((name) => FIELDS[name].cleared !== undefined));
});

const { public: open, private: closed, password } = PRIVACY;

test.each<[FieldName, Value | undefined, Value, string | undefined]>([
  ['privacy', closed, open, 'high'],
  ['privacy', closed, password, 'high'],
  ['privacy', password, open, 'high'],
  ['privacy', open, password, undefined],
  ['privacy', open, closed, undefined],
  ['privacy', password, closed, undefined],
  ['privacy', 7, closed, 'high'],
  ['privacy', closed, 7, 'high'],
  ['privacy', undefined, open, undefined],
  ['password', undefined, null, 'critical'],
  ['password', undefined, { env: 'NAME' }, 'medium'],
  ['email', false, true, undefined],
  ['exclude_bots', true, false, 'medium'],
  ['exclude_bots', false, true, undefined],
  ['exclude_params', ['a'], [], 'medium'],
  ['exclude_params', ['a'], ['b'], undefined],
  ['exclude_params', [], [], undefined],
  ['exclude_ips', ['192.0.2.1'], [], 'medium'],
  ['exclude_ips', undefined, [], 'medium'],
  ['favorited_at', '2026-01-31T09:00:00Z', null, undefined],
])('a change of %s from %j to %j has the risk %s', (name, before, after, level) => {
  expect(FIELDS[name].risk?.(before, after)?.level).toBe(level);
});
