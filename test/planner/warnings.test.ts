import { describe, expect, test } from 'vitest';
import { absent, given, planFor, type Situation, shown, wanted } from '../support/plans.ts';

const renaming = (from: readonly string[], to: readonly string[]): Situation =>
  given(
    to.map((domain) => wanted(domain)),
    from.map((domain, index) => shown(domain, index + 1)),
    { prune: true, www: 'distinct' },
  );
const looksLike = (from: string, to: string): [string, string] => ['rename-suspected', `${from} → ${to}.`];

describe('a plan warns of', () => {
  test.each<[string, Situation, [code: string, fact: string][]]>([
    ['nothing', { desired: { websites: [wanted('a.com')] } }, []],
    ['a list that is not complete', { current: { complete: false } }, [['list-unconfirmed', 'records.']]],
    [
      'a list that is not complete, and why',
      { current: { complete: false, reason: 'it has no end' } },
      [['list-unconfirmed', '(it has no end)']],
    ],
    [
      'a declared field that the service shows nowhere',
      {
        desired: { websites: [wanted('a.com', { email: true })] },
        current: { hidden: ['email', 'privacy'] },
      },
      [['setting-never-returned', 'email']],
    ],
    [
      'a time where presence alone is known',
      {
        desired: { websites: [wanted('a.com', { favorited_at: '2026-01-31T09:00:00Z' })] },
        current: { presenceOnly: ['favorited_at'] },
      },
      [['time-never-returned', 'favorited_at']],
    ],
    [
      'no time where presence alone is known',
      {
        desired: {
          websites: [wanted('a.com', { favorited_at: true }), wanted('b.com', { favorited_at: null })],
        },
        current: { presenceOnly: ['favorited_at'] },
      },
      [],
    ],
    [
      'duplicates, declared or not',
      given([wanted('a.com')], [shown('b.com', 4), shown('b.com', 3), shown('a.com', 2), shown('a.com', 1)]),
      [
        ['domain-in-several-records', 'a.com: #1, #2'],
        ['domain-in-several-records', 'b.com: #3, #4'],
      ],
    ],
    [
      'passwords that are not compared, of the selected records that exist',
      given(
        ['a.com', 'b.com', 'c.com', 'd.com'].map((domain) => wanted(domain, { password: { env: 'P' } })),
        [shown('a.com', 1), shown('b.com', 2), shown('d.com', 4)],
        { exclude: ['d.com'] },
      ),
      [['password-not-compared', '2 declared passwords']],
    ],
    [
      'no password that is sent again',
      given([wanted('a.com', { password: { env: 'P' } })], [shown('a.com', 1)], { resend_passwords: true }),
      [],
    ],
    [
      'no password that goes along with another change',
      given(
        [
          wanted('a.com', { email: true, password: { env: 'P' } }),
          wanted('b.com', { password: { env: 'P' } }),
        ],
        [shown('a.com', 1, { email: false }), shown('b.com', 2)],
      ),
      [['password-not-compared', '1 declared password']],
    ],
    [
      'a rename to another host of one domain',
      renaming(['shop.a.com'], ['store.a.com']),
      [looksLike('shop.a.com', 'store.a.com')],
    ],
    [
      'a rename from a host to the domain',
      renaming(['www.a.co.uk'], ['a.co.uk']),
      [looksLike('www.a.co.uk', 'a.co.uk')],
    ],
    [
      'no rename between domains of different owners',
      renaming(['old.com', 'a.co.uk'], ['new.com', 'bb.co.uk']),
      [],
    ],
    [
      'no rename among several hosts of one domain',
      renaming(['one.a.com', 'two.a.com'], ['three.a.com']),
      [],
    ],
    [
      'no rename where nothing is pruned',
      { desired: { websites: [wanted('new.com')] }, current: { websites: [shown('old.com', 1)] } },
      [],
    ],
    [
      'no rename where the files say absent',
      given([wanted('new.com'), absent('old.com')], [shown('old.com', 1), shown('other.com', 2)]),
      [],
    ],
    [
      'patterns of no website',
      given([wanted('shop.com')], [shown('OLD.com', 1)], {
        domain: ['shpo.com', 'Shop.com', 'sh*', 'x*'],
        exclude: ['old.com', 'odl.com'],
        www: 'distinct',
      }),
      [
        ['pattern-matches-nothing', '--domain shpo.com'],
        ['pattern-matches-nothing', '--domain x*'],
        ['pattern-matches-nothing', '--exclude odl.com'],
      ],
    ],
    [
      'no pattern that is of a website under its other name',
      given([wanted('shop.com')], [shown('old.com', 1)], {
        domain: ['www.shop.com'],
        exclude: ['www.old.com'],
      }),
      [],
    ],
  ])('%s', (_, situation, told) => {
    const expected = told.map(([code, fact]) => ({ code, message: expect.stringContaining(fact) }));
    expect(planFor(situation).warnings).toEqual(expected);
  });
});
