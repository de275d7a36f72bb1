/** The selection of groups. */
import { expect, test } from 'vitest';
import { planFor, shown, wanted } from '../support/plans.ts';

const groups = new Map([
  ['acme', undefined],
  ['inner', 'acme'],
  ['beta', undefined],
]);
const websites = [
  wanted('a.example', { email: true }, 1, { group: 'acme' }),
  wanted('b.example', { email: true }, 2, { group: 'beta' }),
  wanted('c.example', { email: true }, 3, { group: 'inner' }),
  wanted('d.example', { email: true }, 4),
];
const domainsOf = (group: readonly string[], more: object = {}): string[] =>
  planFor({ desired: { websites, groups }, options: { group, ...more } }).changes.map(({ domain }) => domain);

test('plan --group selects a group and its inner groups', () => {
  expect(domainsOf(['acme'])).toEqual(['a.example', 'c.example']);
  expect(domainsOf(['inner', 'beta'])).toEqual(['b.example', 'c.example']);
  expect(domainsOf([])).toHaveLength(4);
});

test('plan --group can be combined with --domain and --exclude', () => {
  expect(domainsOf(['acme'], { domain: ['a.*', 'b.*'] })).toEqual(['a.example']);
  expect(domainsOf(['acme'], { exclude: ['a.*'] })).toEqual(['c.example']);
});

test('a removed domain belongs to the group that it had at the earlier revision', () => {
  const { changes } = planFor({
    desired: { websites: websites.slice(1), groups },
    current: { websites: [shown('a.example', 1), shown('x.example', 2)] },
    options: { group: ['acme'], prune: true },
    earlier: { websites, groups, ignore: [], protected: [], prune: true },
  });
  expect(changes.filter(({ action }) => action === 'delete')).toMatchObject([
    { domain: 'a.example', group: 'acme' },
  ]);
});
