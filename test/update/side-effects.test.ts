import { describe, expect, test } from 'vitest';
import type { Update } from '../../src/model/change.ts';
import type { Settings } from '../../src/model/field-table.ts';
import type { Done, Effect, Seen } from '../../src/model/run.ts';
import type { Website } from '../../src/model/website.ts';
import { effectsOf, effectText } from '../../src/update/side-effects.ts';

const fields = { email: { before: false, after: true } };
const update = (id: string, more: Partial<Update> = {}): Update =>
  ({ action: 'update', domain: `${id}.example`, id, fields, alongside: {}, before: {}, ...more }) as Update;
const done = (id: string, seen: Seen, more?: Partial<Update>): Done => ({
  change: update(id, more),
  id,
  seen,
});
const shows = (settings: Settings, passwordSet?: boolean) => ({ settings, passwordSet });
const website = (id: string, settings: Settings, passwordSet?: boolean): [string, Website] => [
  id,
  { id, domain: `${id}.example`, settings, ...(passwordSet === undefined ? {} : { passwordSet }) },
];
const effects = (all: readonly Done[], websites: [string, Website][], told: readonly Effect[] = []) =>
  effectsOf(all, new Map(websites), told, () => true);

const OLD = shows({ exclude_ips: ['a'] });
const NEW = shows({ exclude_ips: ['b'] });
const EMPTY = shows({ exclude_ips: [] });

describe('a setting that was not to change', () => {
  test.each<[string, Seen, Settings, object]>([
    ['is the same throughout', { older: OLD, read: OLD, after: OLD }, OLD.settings, {}],
    ['was emptied by the write', { older: OLD, read: OLD, after: EMPTY }, EMPTY.settings, { sideEffects: 1 }],
    [
      'was emptied, as the first reading shows',
      { older: OLD, read: OLD },
      EMPTY.settings,
      { sideEffects: 1 },
    ],
    ['was edited before it was read', { older: OLD, read: NEW, after: NEW }, NEW.settings, { meanwhile: 1 }],
    ['was edited since the plan', { older: OLD, after: NEW }, NEW.settings, { meanwhile: 1 }],
    ['was edited after the answer', { older: OLD, read: OLD, after: OLD }, NEW.settings, { meanwhile: 1 }],
    ['is shown nowhere', { older: OLD, read: OLD }, {}, { unverified: 1 }],
  ])('%s', (_, seen, settings, counts) => {
    const { sideEffects, meanwhile, unverified } = effects([done('1', seen)], [website('1', settings)]);
    const unseen = unverified.filter(({ field }) => field === 'exclude_ips');
    expect({
      sideEffects: sideEffects.length,
      meanwhile: meanwhile.length,
      unverified: unseen.length,
    }).toEqual({ sideEffects: 0, meanwhile: 0, unverified: 0, ...counts });
  });

  test('that the list leaves out, and shows of others, was emptied', () => {
    const all = [done('1', { older: OLD, read: OLD })];
    const lists = (isListed: boolean) =>
      effectsOf(
        all,
        new Map([website('1', {})]),
        [],
        () => true,
        () => isListed,
      );
    expect(lists(true).sideEffects).toMatchObject([{ field: 'exclude_ips', before: ['a'], after: [] }]);
    expect(lists(false).sideEffects).toEqual([]);
  });

  test('of two records that differ alike from an old reading is a side effect, of one it is an edit', () => {
    const all = ['1', '2', '3'].map((id) => done(id, { older: OLD, after: id === '3' ? NEW : EMPTY }));
    const { sideEffects, meanwhile } = effects(all, []);
    expect(sideEffects.map(({ id }) => id)).toEqual(['1', '2']);
    expect(meanwhile.map(({ id }) => id)).toEqual(['3']);
  });

  test('that is told already is not told again, and a declared one is none', () => {
    const seen = { older: OLD, read: OLD, after: EMPTY };
    const [effect] = effects([done('1', seen)], []).sideEffects;
    expect(effects([done('1', seen)], [], effect ? [effect] : [])).toMatchObject({ sideEffects: [] });
    const declared = { exclude_ips: { before: ['a'], after: [] } };
    expect(effects([done('1', seen, { fields: declared })], []).sideEffects).toEqual([]);
  });

  test.each([
    ['was lost', true, false, {}, 1],
    ['was set by somebody', false, true, {}, 0],
    ['went with the privacy that was moved away', true, false, { privacy: { before: 2, after: 1 } }, 0],
    ['was removed as declared', true, false, { password: { sensitive: true, ref: null } }, 0],
  ] as const)('a password that %s', (_, was, is, more, count) => {
    const seen = { older: shows({}), read: shows({}, was), after: shows({}, is) };
    const change = { fields: { ...fields, ...more } } as Partial<Update>;
    expect(effects([done('1', seen, change)], []).sideEffects).toHaveLength(count);
  });

  test('is told with both values', () => {
    const effect = {
      domain: 'a.example',
      id: '1',
      field: 'exclude_ips',
      before: ['x', 'y'],
      after: [],
    } as const;
    expect(effectText(effect)).toBe('exclude_ips of a.example (#1) (was x, y, is empty)');
  });
});
