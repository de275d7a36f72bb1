import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../src/model/change.ts';
import { compareRisk } from '../../src/model/risk.ts';
import { differingFields, groupChanges, isGrave } from '../../src/report/groups.ts';
import { domainOf, given, planFor, shown, times, wanted } from '../support/plans.ts';
import { change } from './arbitrary.ts';

const names = (groups: ReturnType<typeof groupChanges>): string[][] =>
  groups.map((group) => group.map(({ domain }) => domain));

/** Updates of exclude_ips, of email, and of privacy from private to `privacy`. */
function updates(
  count: number,
  ips: (index: number) => string[],
  privacy: (index: number) => number = () => 1,
): readonly Change[] {
  return planFor(
    given(
      times(count, (index) =>
        wanted(domainOf(index), { privacy: privacy(index), email: true, exclude_ips: ips(index) }),
      ),
      times(count, (index) => shown(domainOf(index), index, { privacy: 1, email: false, exclude_ips: [] })),
    ),
  ).changes;
}

it('five similar changes are not grouped, and keep their order', () => {
  const changes = updates(5, () => ['::1']);
  expect(names(groupChanges(changes))).toEqual(changes.map(({ domain }) => [domain]));
});

it('changes with different values are not grouped, and keep their order', () => {
  const changes = updates(6, (index) => [index % 2 === 0 ? '::1' : '::2']);
  expect(names(groupChanges(changes))).toEqual(changes.map(({ domain }) => [domain]));
});

it('six similar changes are grouped, at the place of the first', () => {
  const changes = updates(8, (index) => (index === 1 || index === 4 ? ['::2'] : ['::1']));
  expect(names(groupChanges(changes))).toEqual([
    [0, 2, 3, 5, 6, 7].map((index) => domainOf(index)),
    [domainOf(1)],
    [domainOf(4)],
  ]);
});

it('two changed secrets are similar, and a removed secret is not', () => {
  const make = (index: number): Change => ({
    action: 'create',
    domain: domainOf(index),
    fields: { password: { sensitive: true, ref: index < 6 ? { env: `P${index}` } : null } },
    source: { file: 'websites.yaml', line: 1, column: 1 },
    risk: { level: 'low', reason: 'routine' },
    notes: [],
  });
  expect(groupChanges(times(7, make)).map((group) => group.length)).toEqual([6, 1]);
});

it('more than 300 single changes are grouped by their fields, even if values differ', () => {
  const groupsOf = (count: number) =>
    groupChanges(updates(count, (index) => [`10.0.${index >> 8}.${index % 256}`]));
  expect(groupsOf(300)).toHaveLength(300);
  expect(groupsOf(301).map(differingFields)).toEqual([new Set(['exclude_ips'])]);
});

it('changes of high risk are grouped only with changes of the same risk', () => {
  const changes = updates(
    400,
    (index) => [`10.0.${index >> 8}.${index % 256}`],
    (index) => (index % 40 === 0 ? 0 : index % 40 === 1 ? 2 : 1),
  );
  const groups = groupChanges(changes);
  expect(groups.map((alike) => [alike.length, isGrave(alike[0].risk)])).toEqual([
    [10, true],
    [10, true],
    [380, false],
  ]);
  for (const alike of groups) expect(differingFields(alike)).toEqual(new Set(['exclude_ips']));
});

it('grouping keeps every change once, sorted by risk', () => {
  const many = fc
    .array(change, { maxLength: 12 })
    .map((some) => times(9, () => some.map((one) => ({ ...one }))).flat());
  fc.assert(
    fc.property(many, (changes) => {
      const groups = groupChanges(changes);
      const kept = groups.flat();
      expect(kept).toHaveLength(changes.length);
      expect(new Set(kept)).toEqual(new Set(changes));
      const firsts = groups.map(([first]) => first);
      expect([...firsts].sort((a, b) => compareRisk(a.risk, b.risk))).toEqual(firsts);
      for (const alike of groups) {
        const [first] = alike;
        for (const { action, risk } of alike)
          expect({ action, risk }).toEqual({ action: first.action, risk: first.risk });
      }
    }),
  );
});
