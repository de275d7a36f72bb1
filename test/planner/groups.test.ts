/** Initial settings, and the selection of groups. */
import { describe, expect, test } from 'vitest';
import { checkSelection } from '../../src/planner/selection.ts';
import { changesByGroup } from '../../src/render/by-group.ts';
import { planFor, shown, wanted } from '../support/plans.ts';

const groups = new Map([
  ['acme', undefined],
  ['inner', 'acme'],
  ['beta', undefined],
]);
const websites = [
  wanted('a.example', { email: true }, 1, { group: 'acme', initial: { privacy: 1 } }),
  wanted('b.example', { email: true }, 2, { group: 'beta' }),
  wanted('c.example', { email: true }, 3, { group: 'inner' }),
  wanted('d.example', { email: true }, 4),
];
const domainsOf = (group: readonly string[], more: object = {}): string[] =>
  planFor({ desired: { websites, groups }, options: { group, ...more } }).changes.map(({ domain }) => domain);

describe('initial', () => {
  test('is sent with a create, apart from what is compared', () => {
    const [create] = planFor({ desired: { websites, groups } }).changes;
    expect(create).toMatchObject({
      action: 'create',
      group: 'acme',
      fields: { email: { after: true } },
      initial: { privacy: { after: 1 } },
    });
  });

  test('counts as undeclared where the record is there', () => {
    const current = (email: boolean) => ({ websites: [shown('a.example', 1, { email, privacy: 0 })] });
    const desired = { websites: websites.slice(0, 1), groups };
    expect(planFor({ desired, current: current(true) }).changes).toEqual([]);
    const [update] = planFor({ desired, current: current(false) }).changes;
    expect(update).toMatchObject({ action: 'update', fields: { email: { after: true } }, alongside: {} });
    expect(JSON.stringify(update)).not.toContain('"initial"');
  });

  test('a change of it alone is no change since an earlier revision', () => {
    const earlier = { websites: [wanted('a.example', { email: true }, 1, { initial: { privacy: 2 } })] };
    const { changes } = planFor({
      desired: { websites: websites.slice(0, 1), groups },
      earlier: { ...earlier, ignore: [], protected: [], prune: false },
    });
    expect(changes).toMatchObject([{ action: 'create', origin: 'drift' }]);
  });

  test('a password may be initial where privacy is', () => {
    const desired = (initial: object) => ({
      websites: [wanted('a.example', { privacy: 2 }, 1, { initial })],
    });
    expect(planFor({ desired: desired({ password: { env: 'P' } }) }).changes).toHaveLength(1);
    expect(() => planFor({ desired: desired({ email: true }) })).toThrow();
  });
});

describe('--group', () => {
  test('selects a group, and those within it', () => {
    expect(domainsOf(['acme'])).toEqual(['a.example', 'c.example']);
    expect(domainsOf(['inner', 'beta'])).toEqual(['b.example', 'c.example']);
    expect(domainsOf([])).toHaveLength(4);
  });

  test('stands beside --domain and --exclude', () => {
    expect(domainsOf(['acme'], { domain: ['a.*', 'b.*'] })).toEqual(['a.example']);
    expect(domainsOf(['acme'], { exclude: ['a.*'] })).toEqual(['c.example']);
  });

  test('a removed domain has the group that it had at the earlier revision', () => {
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

  test('a name that nobody declares is an error', () => {
    const files = [{ websites, groups }];
    expect(() => checkSelection({ domain: [], exclude: [], group: ['acne'] }, files)).toThrow(
      expect.objectContaining({ code: 'usage', remedy: 'Did you mean acme?' }),
    );
    expect(() => checkSelection({ domain: [], exclude: [], group: ['inner'] }, files)).not.toThrow();
  });
});

test('changes are counted by group', () => {
  const { changes } = planFor({ desired: { websites, groups } });
  expect(changesByGroup(changes).map(({ name, counts }) => [name, counts.create])).toEqual([
    ['acme', 1],
    ['beta', 1],
    ['inner', 1],
    [undefined, 1],
  ]);
  expect(changesByGroup(changes.filter(({ group }) => group === undefined))).toEqual([]);
});
