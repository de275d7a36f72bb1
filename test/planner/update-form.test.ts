/** Invariants of updates over random records and rules. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Update } from '../../src/model/change.ts';
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from '../../src/model/field-table.ts';
import { putBackForm, type UpdateView, updateForm } from '../../src/planner/update-form.ts';

const TIME = '2026-01-31T09:00:00Z';
const settings = fc.record({
  privacy: fc.constantFrom(0, 1, 2),
  email: fc.boolean(),
  exclude_bots: fc.boolean(),
  exclude_params: fc.constantFrom([], ['ref']),
  exclude_ips: fc.constantFrom([], ['192.0.2.1']),
  favorited_at: fc.constantFrom(null, TIME, true),
}) as fc.Arbitrary<Settings>;

const views: fc.Arbitrary<UpdateView> = fc.record({
  rule: fc.constantFrom('auto', 'changed', 'full'),
  keepsAll: fc.boolean(),
  closes: fc.boolean(),
  wireNames: fc.constantFrom({}, { favorited_at: 'favorite' }),
});

interface Case {
  readonly change: Update;
  readonly shown: Settings;
  readonly view: UpdateView;
}

/** An update of a record that shows `shown`. It changes one setting and declares others unchanged. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    shown: settings,
    kept: fc.subarray([...READABLE_NAMES]),
    password: fc.constantFrom({}, { password: { sensitive: true, ref: { env: 'P' }, set: true } as const }),
    view: views,
  })
  .map(({ shown, kept, password, view }) => ({
    ...{ shown, view },
    change: {
      ...{ action: 'update', domain: 'a.example', id: '1', before: shown, notes: [] },
      fields: { email: { before: shown.email ?? false, after: !shown.email } },
      alongside: password,
      kept: kept.filter((name) => name !== 'email'),
      source: { file: 'websites.yaml', line: 1, column: 1 },
      risk: { level: 'low', reason: '' },
    } as Update,
  }));

const formOf = ({ change, shown, view }: Case) =>
  updateForm(change, { settings: shown, passwordSet: true }, view);

test('an update sends each setting once, or omits it', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { declared, asRead, leftOut } = formOf(one);
      const names = [...declared, ...asRead, ...leftOut].filter((name) => name !== 'password');
      expect(names.toSorted()).toEqual([...READABLE_NAMES].toSorted());
    }),
  );
});

test('an update sends its changes and, unless service.update is changed, all declared settings', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { declared } = formOf(one);
      const kept = one.view.rule === 'changed' ? [] : (one.change.kept ?? []);
      expect(declared).toEqual(expect.arrayContaining(['email', ...kept]));
      expect(declared.length - Number(declared.includes('password'))).toBe(1 + kept.length);
    }),
  );
});

test('an update never sends an undeclared public privacy', () => {
  fc.assert(
    fc.property(cases, (one) => {
      if (one.shown.privacy === 0) expect(formOf(one).asRead).not.toContain('privacy');
    }),
  );
});

test('an update keeps a private website private, and with the rule "full" sends all settings', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { asRead, leftOut } = formOf(one);
      if (one.view.rule === 'changed') expect(asRead).toEqual([]);
      else if (one.shown.privacy === 1) expect(leftOut).not.toContain('privacy');
      if (one.view.rule !== 'full') return;
      const isExact = (name: FieldName): boolean => FIELDS[name].presenceKey === undefined;
      expect(leftOut.filter((name) => isExact(name) && name !== 'privacy')).toEqual([]);
    }),
  );
});

test('an update is not sent if an undeclared password could be lost', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const isRisky = one.shown.privacy === 2 && one.change.alongside.password === undefined;
      const isAllowed = one.view.rule === 'changed' || one.view.keepsAll;
      expect(formOf(one).refusal === 'password').toBe(isRisky && !isAllowed);
    }),
  );
});

test('restoring lost values makes no website public and needs no lost password', () => {
  fc.assert(
    fc.property(cases, settings, fc.boolean(), ({ change, shown }, now, passwordSet) => {
      const reset = READABLE_NAMES.filter((name) => name !== 'email' && !change.kept?.includes(name));
      const shows = { before: shown, now: { settings: now, passwordSet }, reset };
      const write = putBackForm(change, shows, {});
      const sent = (name: FieldName) =>
        write?.form.asRead.includes(name) ? write.settings[name] : undefined;
      const privacy = sent('privacy');
      expect(privacy).not.toBe(0);
      if (change.alongside.password === undefined && !passwordSet) expect(privacy).not.toBe(2);
      const others = reset.filter((name) => name !== 'privacy' && sent(name) !== undefined);
      for (const name of others) expect(sent(name)).toEqual(shown[name]);
    }),
  );
});
