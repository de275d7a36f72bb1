import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Update } from '../../src/model/change.ts';
import { type FieldName, READABLE_NAMES, type Settings } from '../../src/model/field-table.ts';
import { isEmpty } from '../../src/model/field-types.ts';
import { behaviorOf, knowledgeKey } from '../../src/update/knowledge.ts';
import { restoreForm } from '../../src/update/restore-form.ts';
import { type Sighting, type UpdateForm, type UpdateView, updateForm } from '../../src/update/update-form.ts';

const TIME = '2026-01-31T09:00:00Z';
const VALUES: { readonly [Name in FieldName]?: fc.Arbitrary<Settings[FieldName]> } = {
  privacy: fc.constantFrom(0, 1, 2),
  email: fc.constantFrom(true, false, null),
  exclude_bots: fc.boolean(),
  exclude_params: fc.constantFrom([], ['ref']),
  exclude_ips: fc.constantFrom([], ['192.0.2.1']),
  favorited_at: fc.constantFrom(null, TIME, true),
};
const settings = fc.record(VALUES as Record<string, fc.Arbitrary<Settings[FieldName]>>, {
  requiredKeys: [],
}) as fc.Arbitrary<Settings>;

const KEYS = READABLE_NAMES.flatMap((name) =>
  [false, true].map((value) => knowledgeKey(name, value as never)),
);
const view: fc.Arbitrary<UpdateView> = fc.record({
  rule: fc.constantFrom('auto' as const, 'auto' as const, 'changed' as const, 'full' as const),
  knowledge: fc.record({
    stays: fc.subarray(KEYS).map((keys) => new Set(keys)),
    reset: fc.subarray([...KEYS, 'password', 'privacy'], { maxLength: 2 }).map((keys) => new Set(keys)),
  }),
  confirmed: fc.boolean(),
  mayLearn: fc.boolean(),
  wary: fc.subarray([...READABLE_NAMES], { maxLength: 1 }).map((names) => new Set(names)),
  traits: fc.constantFrom('favorited_at', 'favorite').map((favorite) => ({
    wireNames: { favorited_at: favorite },
    listed: new Set(READABLE_NAMES),
    read: new Set(READABLE_NAMES),
    readEmpty: new Set<FieldName>(),
  })),
});

interface Case {
  readonly change: Update;
  readonly seen: Sighting;
  readonly view: UpdateView;
}

/** An update of the declared settings among what a record shows; the others are not declared. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    shown: settings,
    changed: fc.subarray([...READABLE_NAMES], { minLength: 1, maxLength: 2 }),
    kept: fc.subarray([...READABLE_NAMES]),
    secret: fc.constantFrom(undefined, 'due', 'set'),
    passwordSet: fc.constantFrom(true, false, undefined),
    isFresh: fc.boolean(),
    view,
  })
  .map(({ shown, changed, kept, secret, passwordSet, isFresh, view }) => {
    const fields = Object.fromEntries(changed.map((name) => [name, { before: shown[name], after: 'new' }]));
    const password = { sensitive: true, ref: { env: 'A' } } as const;
    const names = kept.filter((name) => !changed.includes(name) && shown[name] !== undefined);
    const change = {
      fields: secret === 'due' ? { ...fields, password } : fields,
      alongside: secret === 'set' ? { password: { ...password, set: true } } : {},
      before: shown,
      kept: names,
    } as unknown as Update;
    return { change, seen: { settings: shown, passwordSet, isFresh }, view };
  });

const undeclared = ({ fields, alongside, kept = [] }: Update): readonly FieldName[] =>
  READABLE_NAMES.filter((name) => !(name in fields) && !(name in alongside) && !kept.includes(name));

/** Something that is sent unless it is known to stay. */
function mayStay(name: FieldName, change: Update, { settings }: Sighting): boolean {
  const value = settings[name] ?? null;
  const cannotGo = name === 'favorited_at' && value === true && undeclared(change).includes(name);
  return name !== 'privacy' && !isEmpty(value) && !cannotGo;
}

const law = (holds: (form: UpdateForm, given: Case) => void): void => {
  fc.assert(
    fc.property(cases, (given) => holds(updateForm(given.change, given.seen, given.view), given)),
    {
      numRuns: 800,
    },
  );
};

describe('whatever is known, an update', () => {
  test('sends each change, and nothing twice', () => {
    law(({ declared, asRead, leftOut }, { change }) => {
      for (const name of Object.keys(change.fields)) expect(declared).toContain(name);
      const all = [...declared, ...asRead, ...leftOut];
      expect(new Set(all).size).toBe(all.length);
    });
  });

  test('sends what is not declared only as it was read right before', () => {
    law(({ declared, asRead, readFirst }, { change }) => {
      for (const name of undeclared(change)) expect(declared).not.toContain(name);
      if (asRead.length > 0) expect(readFirst).toBe(true);
    });
  });

  test('never sends a public privacy that is not declared, unless it is pinned to send everything', () => {
    law(({ asRead }, { seen, view }) => {
      if (view.rule !== 'full' && seen.settings.privacy === 0) expect(asRead).not.toContain('privacy');
    });
  });

  test('always sends a privacy that is not public, or is declared, unless it is pinned to omit it', () => {
    law(({ declared, asRead }, { change, seen, view }) => {
      const { privacy } = seen.settings;
      if (view.rule === 'changed' || privacy === undefined) return;
      const isDeclared = !undeclared(change).includes('privacy');
      if (isDeclared || privacy !== 0) expect([...declared, ...asRead]).toContain('privacy');
    });
  });

  test('invents nothing: no number, and no time', () => {
    law(({ asRead }, { seen: { settings }, view }) => {
      for (const name of asRead) {
        if (name === 'email') expect(settings.email).not.toBeNull();
        const isPresence = settings[name] === true && name === 'favorited_at';
        if (isPresence) expect(view.traits.wireNames.favorited_at).toBe('favorite');
      }
    });
  });

  test('omits a value that is not empty only where it stays, or as a trial, or pinned', () => {
    law(({ leftOut, learns, alone }, { change, seen, view }) => {
      if (view.rule !== 'auto') return;
      const omitted = leftOut.filter((name) => mayStay(name, change, seen));
      const known = omitted.filter((name) => !learns.includes(name));
      const behaviors = known.map((name) => behaviorOf(view.knowledge, name, seen.settings[name] ?? null));
      expect(new Set(behaviors)).toEqual(new Set(known.length > 0 ? ['stays'] : []));
      if (omitted.length > known.length || (omitted.length > 0 && !view.confirmed)) expect(alone).toBe(true);
      expect(omitted.filter((name) => view.wary.has(name))).toEqual([]);
    });
  });

  test('is no trial on a record that has a password, or is to have one', () => {
    law(({ learns }, { seen, change }) => {
      const isSecret = 'password' in change.fields || 'password' in change.alongside;
      if (isSecret || seen.passwordSet === true || seen.settings.privacy === 2) expect(learns).toEqual([]);
    });
  });

  test('does not risk a password that is not declared', () => {
    law(({ endangers }, { change, seen, view }) => {
      const isDeclared = 'password' in change.fields || 'password' in change.alongside;
      const isBehind = seen.settings.privacy === 2 && !('privacy' in change.fields);
      if (isDeclared || !isBehind || view.rule === 'changed') return;
      const mayKeep = view.rule === 'auto' && view.confirmed && view.knowledge.reset.size === 0;
      if (!mayKeep) expect(endangers).toBe('password');
    });
  });
});

describe('a restore', () => {
  const isSendable = ({ settings }: Sighting, name: FieldName): boolean =>
    name !== 'privacy' && !(settings[name] === true && name === 'favorited_at') && settings[name] !== null;

  test('never makes a website public, and puts back what was reset', () => {
    fc.assert(
      fc.property(cases, settings, fc.subarray([...READABLE_NAMES]), ({ change, seen, view }, now, names) => {
        const others = undeclared(change);
        const reset = names.filter((name) => others.includes(name) && seen.settings[name] !== undefined);
        const restore = restoreForm(change, seen.settings, now, reset, view.traits);
        if (restore === undefined) {
          expect(now.privacy).toBe(2);
          return;
        }
        const { form, settings } = restore;
        if (others.includes('privacy')) expect(settings.privacy).not.toBe(0);
        for (const name of reset.filter((one) => isSendable(seen, one))) {
          expect(settings[name]).toEqual(seen.settings[name]);
        }
        expect(form.declared).toEqual(expect.arrayContaining(Object.keys(change.fields)));
      }),
      { numRuns: 800 },
    );
  });
});
