import { expect, test } from 'vitest';
import type { Settings } from '../../src/model/field-table.ts';
import type { Website } from '../../src/model/website.ts';
import { compareWebsite, createComparison } from '../../src/planner/diff.ts';
import { shown, wanted } from '../support/plans.ts';

const T = '2026-01-31T09:00:00Z';
const REF = { env: 'SHOP_PASSWORD' };

const compare = (desired: Settings, current: Settings, more: Partial<Website> = {}, resend = false) =>
  compareWebsite(wanted('a.com', desired), shown('a.com', 1, current, more), resend);

const NOTHING = { fields: {}, alongside: {}, kept: [] };

test.each<[string, Settings, Settings]>([
  ['nothing declared', {}, { privacy: 0, email: true, favorited_at: T }],
  ['the same', { privacy: 2, email: false }, { privacy: 2, email: false, exclude_bots: true }],
  ['a set in another order', { exclude_params: ['a', 'b'] }, { exclude_params: ['b', 'a'] }],
  ['a favorite at any time', { favorited_at: true }, { favorited_at: T }],
  ['a time against presence', { favorited_at: T }, { favorited_at: true }],
  ['cleared and empty', { exclude_ips: [], favorited_at: null }, { exclude_ips: [], favorited_at: null }],
])('a declared website equals its record: %s', (_, desired, current) => {
  expect(compare(desired, current)).toEqual({ ...NOTHING, kept: Object.keys(desired) });
});

test.each<[Settings, Settings, object]>([
  [{ privacy: 1 }, { privacy: 0 }, { privacy: { before: 0, after: 1 } }],
  [{ email: false }, { email: true }, { email: { before: true, after: false } }],
  [{ exclude_params: ['a'] }, { exclude_params: [] }, { exclude_params: { before: [], after: ['a'] } }],
  [{ exclude_params: [] }, { exclude_params: ['a'] }, { exclude_params: { before: ['a'], after: [] } }],
  [{ favorited_at: true }, { favorited_at: null }, { favorited_at: { before: null, after: true } }],
  [{ favorited_at: null }, { favorited_at: T }, { favorited_at: { before: T, after: null } }],
])('a value declared as %j and shown as %j differs in %j', (desired, current, fields) => {
  expect(compare(desired, current)).toEqual({ ...NOTHING, fields });
});

test('a value that the service does not show is sent only with other changes', () => {
  expect(compare({ privacy: 0, email: true }, { email: false })).toEqual({
    ...NOTHING,
    fields: { email: { before: false, after: true } },
    alongside: { privacy: { after: 0 } },
  });
  expect(compare({ favorited_at: null }, {})).toEqual({
    ...NOTHING,
    alongside: { favorited_at: { after: null } },
  });
});

const sent = { password: { sensitive: true, ref: REF } };
const set = { password: { sensitive: true, ref: REF, set: true } };
const removed = { password: { sensitive: true, ref: null } };

test.each<[string, Settings, boolean | undefined, boolean, object]>([
  ['declared, set', { password: REF }, true, false, { fields: {}, alongside: set }],
  ['declared, none set', { password: REF }, false, false, { fields: sent, alongside: {} }],
  ['declared, unknown if set', { password: REF }, undefined, false, { fields: {}, alongside: sent }],
  ['declared, set, sent again', { password: REF }, true, true, { fields: sent, alongside: {} }],
  [
    'declared, unknown if set, sent again',
    { password: REF },
    undefined,
    true,
    { fields: sent, alongside: {} },
  ],
  ['removed, set', { password: null }, true, false, { fields: removed, alongside: {} }],
  ['removed, none set', { password: null }, false, false, NOTHING],
  ['removed, none set, sent again', { password: null }, false, true, NOTHING],
  ['removed, unknown if set', { password: null }, undefined, false, { fields: {}, alongside: removed }],
  ['undeclared, set', {}, true, true, NOTHING],
  ['undeclared, none set', {}, false, true, NOTHING],
])('a plan decides if a password is sent: %s', (_, desired, passwordSet, resend, comparison) => {
  const more = passwordSet === undefined ? {} : { passwordSet };
  expect(compare(desired, {}, more, resend)).toEqual({ ...NOTHING, ...comparison });
});

test('a create sends all declared settings, but no removal of a password', () => {
  const settings: Settings = {
    privacy: 0,
    password: REF,
    email: false,
    exclude_params: [],
    exclude_ips: ['192.0.2.1'],
    favorited_at: null,
  };
  const createFields = (settings: Settings) => compareWebsite({ settings }, undefined, true).fields;
  expect(createFields(settings)).toEqual({
    privacy: { after: 0 },
    password: { sensitive: true, ref: REF },
    email: { after: false },
    exclude_params: { after: [] },
    exclude_ips: { after: ['192.0.2.1'] },
    favorited_at: { after: null },
  });
  expect(createFields({ password: null, favorited_at: true })).toEqual({ favorited_at: { after: true } });
  expect(createFields({})).toEqual({});
});

const desired: Settings = { privacy: 1, email: true };
const current: Settings = { privacy: 1, email: false };

test('comparing records with equal settings gives one shared result', () => {
  const compareAll = createComparison(false);
  const found = compareAll(wanted('a.com', desired), shown('a.com', 1, current));
  expect(found).toEqual(compare(desired, current));
  expect(compareAll(wanted('b.com', desired), shown('b.com', 2, current))).toBe(found);
  const same = compareAll(wanted('c.com', desired), shown('c.com', 3, desired));
  expect(same).toEqual({ ...NOTHING, kept: ['privacy', 'email'] });
  const created = compareAll(wanted('d.com', desired), undefined);
  expect(created).toEqual(compareWebsite({ settings: desired }, undefined, false));
  expect(compareAll(wanted('e.com', desired), undefined)).toBe(created);
});

test('two records with equal settings may differ in whether their password is sent', () => {
  const compareAll = createComparison(false);
  const secret: Settings = { password: REF };
  const sends = (domain: string, passwordSet: boolean): boolean => {
    const website = shown(domain, 1, current, { passwordSet });
    return 'password' in compareAll(wanted(domain, secret), website).fields;
  };
  expect([sends('a.com', true), sends('b.com', false)]).toEqual([false, true]);
});
