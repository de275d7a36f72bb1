import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTING_KEYS } from '../../src/config/schema/keys.ts';
import type { FieldChanges, Update } from '../../src/model/change.ts';
import type { FieldName } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';
import { MAX_WHOLE, valuesOf, valueText } from '../../src/report/changes.ts';
import type { ShownValue } from '../../src/report/document.ts';

/** A row as `label: piece | piece`. */
const flat = (rows: readonly ShownValue[]): string[] =>
  rows.map(({ label, pieces }) => `${label}: ${pieces.map(({ text }) => text).join(' | ')}`);

const update: Update = {
  action: 'update',
  domain: 'a.example',
  id: '1',
  before: {},
  fields: {},
  alongside: {},
  source: { file: 'websites.yaml', line: 1, column: 1 },
  risk: { level: 'low', reason: '' },
  notes: [],
};

const changeRows = (fields: FieldChanges) => valuesOf({ ...update, fields });

const T1 = '2026-01-31T09:00:00Z';
const T2 = '2026-02-01T09:00:00Z';
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

const cases: [string, FieldChanges, string[]][] = [
  ['a value of a new record', { privacy: { after: 2 } }, ['privacy: password']],
  ['a value that changes', { privacy: { before: 1, after: 0 } }, ['privacy: private → public']],
  ['a number without a name', { privacy: { before: 7, after: 0 } }, ['privacy: 7 → public']],
  ['a boolean', { email: { before: false, after: true } }, ['email: false → true']],
  ['a secret', { password: { sensitive: true, ref: { env: 'P' } } }, ['password: (sensitive)']],
  ['a removed secret', { password: { sensitive: true, ref: null } }, ['password: (sensitive) → null']],
  ['a new list', { exclude_ips: { after: ['192.0.2.1', '::1'] } }, ['exclude_ips: + 192.0.2.1 | + ::1']],
  [
    'a list with removed and added items',
    { exclude_params: { before: ['a', 'b', 'c'], after: ['d', 'b'] } },
    ['exclude_params: - a | - c | + d'],
  ],
  [
    'a list instead of a secret',
    { password: { before: ['old'], after: ['new'] } },
    ['password: (sensitive) → (sensitive)'],
  ],
  ['an emptied list', { exclude_params: { before: ['a'], after: [] } }, ['exclude_params: - a']],
  ['a new favorite', { favorited_at: { after: true } }, ['favorite: true']],
  ['a new favorite with its time', { favorited_at: { after: T1 } }, [`favorited_at: ${T1}`]],
  ['a favorite that is set', { favorited_at: { before: null, after: true } }, ['favorite: false → true']],
  [
    'a favorite that is set with a time',
    { favorited_at: { before: null, after: T1 } },
    [`favorited_at: null → ${T1}`],
  ],
  ['a removed favorite', { favorited_at: { before: T1, after: null } }, [`favorited_at: ${T1} → null`]],
  ['a changed time', { favorited_at: { before: T1, after: T2 } }, [`favorited_at: ${T1} → ${T2}`]],
  [
    'fields in the order of the table',
    { email: { after: true }, privacy: { after: 0 } },
    ['privacy: public', 'email: true'],
  ],
];

it.each(cases)('the rows of a change show %s', (_, fields, expected) => {
  expect(flat(changeRows(fields))).toEqual(expected);
});

/** Every scalar or empty value that a row may print. */
const SCALARS: [FieldName, Value, string][] = [
  ['privacy', 2, 'privacy'],
  ['privacy', 7, 'privacy'],
  ['email', true, 'email'],
  ['exclude_bots', false, 'exclude_bots'],
  ['exclude_ips', [], 'exclude_ips'],
  ['favorited_at', T1, 'favorited_at'],
  ['favorited_at', null, 'favorite'],
  ['favorited_at', true, 'favorite'],
];

it.each(SCALARS)('%s %j is printed as it is written in a file', (field, after, key) => {
  const [row] = changeRows({ [field]: { after } });
  expect(row?.label).toBe(key);
  const written: unknown = parse(flat(row ? [row] : [])[0]?.slice(`${key}: `.length) ?? '');
  expect(SETTING_KEYS[key]?.schema.parse(written)).toEqual(after);
});

it('fields that an update sends along are marked as "sent along"', () => {
  const fields: FieldChanges = {
    email: { after: true },
    password: { sensitive: true, ref: { env: 'P' } },
    exclude_ips: { after: [] },
    exclude_params: { after: ['a', 'b'] },
  };
  expect(flat(valuesOf({ ...update, alongside: fields }))).toEqual([
    'password: (sensitive)  (sent along)',
    'email: true  (sent along)',
    'exclude_params: a, b  (sent along)',
    'exclude_ips: []  (sent along)',
  ]);
});

it('a value of up to 10,000 characters is printed whole', () => {
  const change: FieldChanges = { exclude_params: { before: [], after: many(14) } };
  const [row] = changeRows(change);
  expect(row?.pieces).toHaveLength(14);
  expect(valueText('exclude_params', many(14), MAX_WHOLE)).toBe(many(14).join(', '));
  expect(valueText('exclude_params', ['a'.repeat(500)], MAX_WHOLE)).toHaveLength(500);
  expect(valueText('exclude_params', ['a'.repeat(20_000)], MAX_WHOLE)).toContain('… (10000 more) …');
});

it('valueText hides every value of a secret field', () => {
  expect(valueText('password', 'correct horse')).toBe('(sensitive)');
  expect(valueText('password', null)).toBe('null');
});
