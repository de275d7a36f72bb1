import { expect, test } from 'vitest';
import type { Settings } from '../../src/model/field-table.ts';
import type { DesiredWebsite, Website } from '../../src/model/website.ts';
import { changeOf, countByAction, deleteOf, inOrder, isImplied, isPrune } from '../../src/planner/changes.ts';
import type { Pair } from '../../src/planner/match.ts';
import { shown, wanted } from '../support/plans.ts';

const pair = (desired: DesiredWebsite, website?: Website): Pair => ({
  desired,
  isVariant: false,
  ...(website ? { website } : {}),
});
const absent = wanted('a.com', {}, 4, { state: 'absent' });

test('an update has the highest risk of its fields', () => {
  const website = shown('a.com', 3, { privacy: 2, exclude_bots: true }, { passwordSet: true });
  const desired = wanted('a.com', { privacy: 0, exclude_bots: false, password: null });
  expect(changeOf(pair(desired, website))?.risk).toEqual({ level: 'critical', reason: 'password removed' });
});

test.each<[string, Settings, Settings, boolean | undefined, boolean]>([
  ['set, undeclared', { email: true }, { email: false }, true, true],
  ['unknown, but protected by one', { email: true }, { email: false, privacy: 2 }, undefined, true],
  ['none set', { email: true }, { email: false, privacy: 2 }, false, false],
  ['unknown, private', { email: true }, { email: false, privacy: 1 }, undefined, false],
  ['set, declared', { email: true, password: { env: 'A' } }, { email: false }, true, false],
  ['set, removed', { email: true, password: null }, { email: false }, true, false],
])('an update notes if it may lose a password: %s', (_, desired, current, passwordSet, told) => {
  const more = passwordSet === undefined ? {} : { passwordSet };
  const change = changeOf(pair(wanted('a.com', desired), shown('a.com', 3, current, more)));
  expect(change?.notes.some((note) => note.includes('password'))).toBe(told);
});

test('a delete by prune has the domain of its record and no location', () => {
  const prune = deleteOf(shown('HTTP://A.com/', 3), 'prune');
  expect(prune).toMatchObject({ domain: 'a.com', cause: 'prune' });
  expect(prune.source).toBeUndefined();
  expect(isPrune(prune)).toBe(true);
  expect(isPrune(deleteOf(shown('a.com', 3), 'absent', absent))).toBe(false);
});

test.each([
  ['prune', true],
  ['undo', true],
  ['absent', false],
] as const)('a delete by %s is possible without a website in the files: %s', (cause, expected) => {
  expect(isImplied(deleteOf(shown('a.com', 3), cause))).toBe(expected);
});

test('a create or an update always needs a website in the files', () => {
  const website = shown('a.com', 3, { email: false });
  const asked = [website, undefined].map((current) =>
    changeOf(pair(wanted('a.com', { email: true }), current)),
  );
  expect(asked.map((change) => change && [change.action, isImplied(change), isPrune(change)])).toEqual([
    ['update', false, false],
    ['create', false, false],
  ]);
});

const changes = [
  ...['b.com', 'a.com'].map((domain) => deleteOf(shown(domain, 1), 'prune')),
  ...['d.com', 'c.com'].flatMap(
    (domain) => changeOf(pair(wanted(domain, { email: true }), shown(domain, 2, { email: false }))) ?? [],
  ),
  ...['z.com', 'x.com'].flatMap((domain) => changeOf(pair(wanted(domain))) ?? []),
];
const order = inOrder(changes).map(({ action, domain }) => `${action} ${domain}`);

test('changes are sorted: creates, updates, deletes, and each kind by domain', () => {
  expect(order).toEqual([
    'create x.com',
    'create z.com',
    'update c.com',
    'update d.com',
    'delete a.com',
    'delete b.com',
  ]);
});

test('changes are counted by action', () => {
  expect(countByAction(changes)).toEqual({ create: 2, update: 2, delete: 2 });
  expect(countByAction([])).toEqual({ create: 0, update: 0, delete: 0 });
});
