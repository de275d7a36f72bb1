import { expect, test } from 'vitest';
import type { Settings } from '../../src/model/field-table.ts';
import { given, planFor, type Situation, shown, wanted } from '../support/plans.ts';

const locked = (domain: string, settings: Settings = {}) =>
  wanted(domain, { ...settings, password: { env: 'P' } });
const nothing = (flag: string): [string, string] => ['pattern-matches-nothing', flag];
const TIMED = wanted('a.com', { favorited_at: '2026-01-31T09:00:00Z' });
const FAVORITES = [wanted('a.com', { favorited_at: true }), wanted('b.com', { favorited_at: null })];
const presenceOnly = ['favorited_at'] as const;

test.each<[string, Situation, [code: string, fact: string][]]>([
  ['nothing', given([wanted('a.com')]), []],
  ['an incomplete list', { current: { complete: false } }, [['list-unconfirmed', 'records.']]],
  [
    'an incomplete list, with the reason',
    { current: { complete: false, reason: { code: 'list-miscounted', total: 3, count: 2 } } },
    [['list-unconfirmed', '(it counts 3 records and lists 2)']],
  ],
  [
    'a declared field that the service never returns',
    { ...given([wanted('a.com', { email: true })]), current: { hidden: ['email', 'privacy'] } },
    [['setting-never-returned', 'email']],
  ],
  [
    'a time if only presence is known',
    { desired: { websites: [TIMED] }, current: { presenceOnly } },
    [['time-never-returned', 'favorited_at']],
  ],
  ['no time if none is declared', { desired: { websites: FAVORITES }, current: { presenceOnly } }, []],
  [
    'duplicates, declared or not',
    given([wanted('a.com')], [shown('b.com', 4), shown('b.com', 3), shown('a.com', 2), shown('a.com', 1)]),
    ['a.com: #1, #2', 'b.com: #3, #4'].map((fact) => ['domain-in-several-records', fact]),
  ],
  [
    'passwords that are not compared, of the selected records that exist',
    given(
      ['a.com', 'b.com', 'c.com', 'd.com'].map((domain) => locked(domain)),
      [shown('a.com', 1), shown('b.com', 2), shown('d.com', 4)],
      { exclude: ['d.com'] },
    ),
    [['password-not-compared', '2 declared passwords']],
  ],
  [
    'no password that is sent again',
    given([locked('a.com')], [shown('a.com', 1)], { resend_passwords: true }),
    [],
  ],
  [
    'no password that goes along with another change',
    given(
      [locked('a.com', { email: true }), locked('b.com')],
      [shown('a.com', 1, { email: false }), shown('b.com', 2)],
    ),
    [['password-not-compared', '1 declared password']],
  ],
  [
    'patterns that match no website',
    given([wanted('shop.com')], [shown('OLD.com', 1)], {
      ...{
        domain: ['shpo.com', 'Shop.com', 'sh*', 'x*'],
        exclude: ['old.com', 'odl.com'],
        www: 'distinct',
      },
    }),
    ['--domain shpo.com', '--domain x*', '--exclude odl.com'].map(nothing),
  ],
  [
    'no pattern that matches a www variant',
    given([wanted('s.com')], [shown('o.com', 1)], { domain: ['www.s.com'], exclude: ['www.o.com'] }),
    [],
  ],
])('a plan warns about %s', (_, situation, told) => {
  const expected = told.map(([code, fact]) => ({ code, message: expect.stringContaining(fact) }));
  expect(planFor(situation).warnings).toEqual(expected);
});
