import { expect, test } from 'vitest';
import type { Website, WwwRule } from '../../src/model/website.ts';
import {
  isNamed,
  type Match,
  matchWebsites,
  type Names,
  sameAs,
  withOtherNames,
  wwwVariant,
} from '../../src/planner/match.ts';
import { NO_RECORDS, shown, wanted } from '../support/plans.ts';

interface Case {
  readonly desired?: readonly string[];
  readonly current?: readonly Website[];
  readonly ignore?: readonly string[];
  readonly www?: WwwRule;
}

function match({ desired = [], current = [], ignore = [], www }: Case): Match {
  return matchWebsites(
    { websites: desired.map((domain) => wanted(domain)), ignore, protected: [] },
    { ...NO_RECORDS, websites: current },
    { www },
  );
}

/** Records with the IDs 1, 2, 3 and so on. */
const records = (...domains: string[]): Website[] => domains.map((domain, index) => shown(domain, index + 1));

/** Pairs as `DOMAIN ID`, with `~` if only the www variant matched. */
const pairsOf = ({ pairs }: Match): string[] =>
  pairs.map(
    ({ desired, website, isVariant }) => `${desired.domain} ${isVariant ? '~' : ''}${website?.id ?? '-'}`,
  );

test.each<[string, Case, string[]]>([
  ['no record', { desired: ['a.com'] }, ['a.com -']],
  ['equal', { desired: ['a.com'], current: records('a.com') }, ['a.com 1']],
  ['in another spelling', { desired: ['a.com'], current: records('HTTPS://A.com./') }, ['a.com 1']],
  [
    'an IDN as it was sent',
    { desired: ['xn--mnchen-3ya.de'], current: records('München.de') },
    ['xn--mnchen-3ya.de 1'],
  ],
  [
    'next to its www variant',
    { desired: ['a.com'], current: records('www.a.com', 'a.com'), www: 'same' },
    ['a.com 2'],
  ],
  ['odd names', { desired: ['__proto__', 'constructor'] }, ['__proto__ -', 'constructor -']],
])('a declared domain matches its exact record: %s', (_, situation, pairs) => {
  expect(pairsOf(match(situation))).toEqual(pairs);
});

test('a domain that is declared twice matches one record twice', () => {
  const twice = match({ desired: ['a.com', 'b.com', 'a.com'], current: records('a.com') });
  expect(pairsOf(twice)).toEqual(['a.com 1', 'b.com -', 'a.com 1']);
});

test('matches have the order of the configuration, not of the service', () => {
  const one = match({ desired: ['b.com', 'a.com', 'c.com'], current: records('c.com', 'a.com') });
  expect(pairsOf(one)).toEqual(['b.com -', 'a.com 2', 'c.com 1']);
});

test.each<[string[], string[], Pick<Case, 'ignore' | 'www'>, string[], Match['www']]>([
  [['www.a.com'], ['a.com'], { www: 'same' }, ['www.a.com ~1'], 'same'],
  [['a.com'], ['www.a.com'], { www: 'same' }, ['a.com ~1'], 'same'],
  [['www.a.com'], ['a.com'], { www: 'distinct' }, ['www.a.com -'], 'distinct'],
  // Without service.www, any record with www. shows that the service keeps both names, also an ignored one.
  [['www.a.com'], ['a.com', 'b.com'], {}, ['www.a.com ~1'], 'undecided'],
  [['www.a.com'], ['a.com', 'www.b.com'], {}, ['www.a.com -'], 'distinct'],
  [['www.a.com'], ['a.com', 'WWW.b.com'], {}, ['www.a.com -'], 'distinct'],
  [['www.a.com'], ['a.com', 'www.b.com'], { ignore: ['*.b.com'] }, ['www.a.com -'], 'distinct'],
  [['a.com'], ['www.a.com'], {}, ['a.com -'], 'distinct'],
  [['www.a.com'], ['a.com', 'www2.b.com', 'wwww.c.com'], {}, ['www.a.com ~1'], 'undecided'],
  // A www variant that is declared or ignored belongs to no other website.
  [['a.com', 'www.a.com'], ['a.com'], {}, ['a.com 1', 'www.a.com -'], 'undecided'],
  [['a.com', 'www.a.com'], ['a.com'], { www: 'same' }, ['a.com 1', 'www.a.com -'], 'same'],
  [['www.a.com'], ['a.com'], { ignore: ['a.com'], www: 'same' }, ['www.a.com -'], 'same'],
])('declared %j with records %j and %j match as %j (www names: %s)', (desired, shown, more, pairs, rule) => {
  const result = match({ desired, current: records(...shown), ...more });
  expect(pairsOf(result)).toEqual(pairs);
  expect(result.www).toBe(rule);
});

test('a record that is matched by its www variant is not an orphan', () => {
  expect(match({ desired: ['www.a.com'], current: records('a.com', 'b.com') }).orphans).toMatchObject([
    { id: '2' },
  ]);
});

test('orphans are sorted by domain, and ignored records do not count', () => {
  const { orphans, ignored, population } = match({
    desired: ['a.com'],
    current: records('z.com', 'a.com', 'x.internal.example', 'b.com', 'internal.example'),
    ignore: ['*.internal.example'],
  });
  expect(orphans.map(({ domain }) => domain)).toEqual(['b.com', 'internal.example', 'z.com']);
  expect({ ignored, population }).toEqual({ ignored: ['x.internal.example'], population: 4 });
});

test('duplicate records are not orphans, and the record with the lowest ID is matched', () => {
  const current = [shown('a.com', 10), shown('A.com.', 9), shown('b.com', 2), shown('b.com', 3)];
  const result = match({ desired: ['a.com'], current });
  expect(pairsOf(result)).toEqual(['a.com 9']);
  expect(result.duplicates).toEqual([
    { domain: 'a.com', ids: ['9', '10'] },
    { domain: 'b.com', ids: ['2', '3'] },
  ]);
  expect(result.orphans).toEqual([]);
  expect(result.population).toBe(4);
  expect(pairsOf(match({ desired: ['a.com'], current: [...current].reverse() }))).toEqual(['a.com 9']);
});

test('duplicates of an ignored domain are not reported', () => {
  const current = [shown('a.com', 1), shown('a.com', 2)];
  expect(match({ current, ignore: ['a.com'] })).toMatchObject({
    duplicates: [],
    ignored: ['a.com', 'a.com'],
    population: 0,
  });
});

test('duplicate records are sorted by ID the same way from any input order', () => {
  const ids = ['10', '9', '1a', 'b', '9007199254740993', '9007199254740992', '010'];
  const idsOf = (order: readonly string[]): readonly string[] | undefined =>
    match({ current: order.map((id) => shown('a.com', 0, {}, { id })) }).duplicates[0]?.ids;
  const expected = ['9', 'b', '10', '1a', '010', '9007199254740992', '9007199254740993'];
  for (let turn = 0; turn < ids.length; turn += 1) {
    const turned = [...ids.slice(turn), ...ids.slice(0, turn)];
    expect(idsOf(turned)).toEqual(expected);
    expect(idsOf(turned.reverse())).toEqual(expected);
  }
});

test.each<[string, Names['www'], boolean]>([
  ['a.example', 'distinct', true],
  ['A.Example.', 'distinct', true],
  ['www.a.example', undefined, true],
  ['www.a.example', 'undecided', true],
  ['www.a.example', 'same', true],
  ['www.a.example', 'distinct', false],
  ['b.example', 'same', false],
  ['www.www.a.example', 'same', false],
])('the record %s matches a.example with service.www %s: %s', (domain, www, isIt) => {
  expect(isNamed({ domain }, 'a.example', { www })).toBe(isIt);
});

test('wwwVariant adds or removes the label www', () => {
  expect(['example.com', 'www.example.com', 'www.www.a.com', 'www2.a.com'].map(wwwVariant)).toEqual([
    'www.example.com',
    'example.com',
    'www.a.com',
    'www.www2.a.com',
  ]);
});

test('a pattern for a single domain includes its www variant, unless names are distinct', () => {
  const patterns = ['shop*', 'A.com', 'www.b.com'];
  const both = ['shop*', 'A.com', 'www.a.com', 'www.b.com', 'b.com'];
  expect(withOtherNames(patterns)).toEqual(both);
  expect(withOtherNames(patterns, { www: 'distinct' })).toEqual(patterns);
  expect(withOtherNames(patterns, { www: 'undecided' }, sameAs)).toEqual(patterns);
  expect(withOtherNames(patterns, { www: 'same' }, sameAs)).toEqual(both);
});
