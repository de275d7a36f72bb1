/** Rules of planning for any desired and current records. FC_RUNS sets the number of situations per rule. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Change } from '../../src/model/change.ts';
import { domainKey, matcher } from '../../src/model/domain.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Plan, PlanOptions } from '../../src/model/plan.ts';
import type { Current, Desired, WwwRule } from '../../src/model/website.ts';
import { isPrune } from '../../src/planner/changes.ts';
import { refusals } from '../../src/planner/guards.ts';
import { withOtherNames, wwwVariant } from '../../src/planner/match.ts';
import { selection } from '../../src/planner/selection.ts';
import {
  desired as arbitraryDesired,
  options,
  PASSWORD,
  pattern,
  storedRecords,
  ways,
} from '../support/arbitraries.ts';
import { carryOut, currentOf, type Stored, type Ways } from '../support/model.ts';
import { planFor } from '../support/plans.ts';

const NOW = Date.UTC(2026, 10, 20, 9, 30);

function plan(desired: Desired, current: Current, options: PlanOptions): Plan {
  return planFor({ desired, current, options });
}

/** Returns nothing if these records cannot be planned. */
function planIfPossible(desired: Desired, current: Current, wanted: PlanOptions): Plan | undefined {
  try {
    return plan(desired, current, wanted);
  } catch (error) {
    if (error instanceof WebsitesError && error.code === 'plan-impossible') return undefined;
    throw error;
  }
}

interface World {
  readonly desired: Desired;
  readonly ways: Ways;
  readonly records: readonly Stored[];
  readonly options: PlanOptions;
}

/**
 * A configuration and a service, with a rule of `www.` if the service strips it, and unless `unsettled`. Without the
 * rule, a run that creates or deletes the only `www.` record changes how the next plan matches names.
 */
function world({ unique = false, selects = true, unsettled = false }): fc.Arbitrary<World> {
  const settled = fc.constantFrom<WwwRule | undefined>('distinct', unsettled ? undefined : 'distinct');
  return fc.tuple(arbitraryDesired, ways, options, settled).chain(([desired, made, asked, www]) =>
    fc.record({
      desired: fc.constant(desired),
      ways: fc.constant(made),
      records: storedRecords(made, unique),
      options: fc.constant({
        ...asked,
        ...(selects ? {} : { domain: [], exclude: [] }),
        ...(made.www === 'stripped' ? { www: 'same' as const } : www ? { www } : {}),
      }),
    }),
  );
}

const currentIn = ({ records, ways: made }: World): Current => currentOf(records, made, NOW);

/** Skips runs that cannot be planned. */
function planIn(one: World): Plan {
  const made = planIfPossible(one.desired, currentIn(one), one.options);
  fc.pre(made !== undefined);
  return made;
}

const domainsById = ({ records }: World): ReadonlyMap<string, string> =>
  new Map(records.map(({ id, domain }) => [String(id), domainKey(domain)]));

function isPresentIn(desired: Desired): (domain: string) => boolean {
  const present = desired.websites.filter(({ state }) => state === 'present').map(({ domain }) => domain);
  return (domain) => present.includes(domain);
}

const idOf = (change: Change): string | undefined => (change.action === 'create' ? undefined : change.id);
const line = (change: Change): string => `${change.action} ${change.domain} ${idOf(change)}`;

const RUNS = { numRuns: Number(process.env.FC_RUNS ?? 80) };

test('after an apply the next plan is empty', () => {
  let carriedOut = 0;
  fc.assert(
    fc.property(world({ unique: true }), (one) => {
      const first = planIn(one);
      fc.pre(refusals(first.guards).length === 0);
      const records = carryOut(first, one.records, one.ways);
      const second = plan(one.desired, currentIn({ ...one, records }), {
        ...one.options,
        resend_passwords: false,
      });
      expect(second.changes).toEqual([]);
      expect(second.summary).toMatchObject({ create: 0, update: 0, delete: 0 });
      if (first.changes.length > 0) carriedOut += 1;
    }),
    RUNS,
  );
  expect(carriedOut).toBeGreaterThan(RUNS.numRuns / 2);
});

test('after an update with only changed fields, the next plan is empty if omitted fields stay', () => {
  fc.assert(
    fc.property(world({ unique: true }), (given) => {
      const one: World = {
        ...given,
        ways: { ...given.ways, put: 'merge' },
        options: { ...given.options, update: 'changed' },
      };
      const first = planIn(one);
      fc.pre(refusals(first.guards).length === 0);
      const records = carryOut(first, one.records, one.ways);
      const after = currentIn({ ...one, records });
      expect(plan(one.desired, after, { ...one.options, resend_passwords: false }).changes).toEqual([]);
    }),
    RUNS,
  );
});

test('an apply keeps undeclared values, whether the service keeps or resets omitted ones', () => {
  fc.assert(
    fc.property(world({ unique: true }), (given) => {
      const one: World = { ...given, ways: { ...given.ways, hides: [] } };
      const first = planIn(one);
      const before = new Map(currentIn(one).websites.map((website) => [website.id, website]));
      const records = carryOut(first, one.records, one.ways);
      const after = new Map(currentIn({ ...one, records }).websites.map((website) => [website.id, website]));
      for (const change of first.changes) {
        if (change.action !== 'update') continue;
        const [old, now] = [before.get(change.id), after.get(change.id)];
        // An update never makes a website public again.
        const kept = Object.entries(old?.settings ?? {}).filter(
          ([name, value]) => !(name in change.fields || (name === 'privacy' && value === 0)),
        );
        expect(now?.settings).toMatchObject(Object.fromEntries(kept));
      }
    }),
    RUNS,
  );
});

test('a plan never creates an existing domain or changes a record or domain twice', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const { changes, options: asked } = planIn(one);
      const existing = new Set(one.records.map((record) => domainKey(record.domain)));
      for (const { action, domain } of changes) {
        if (action !== 'create') continue;
        expect(existing).not.toContain(domain);
        if (asked.www === 'same') expect(existing).not.toContain(wwwVariant(domain));
      }
      const ids = changes.flatMap((change) => idOf(change) ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      expect(new Set(changes.map((change) => change.domain)).size).toBe(changes.length);
    }),
    RUNS,
  );
});

test('a plan never changes an ignored record', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const isIgnored = matcher(one.desired.ignore);
      const domainOf = domainsById(one);
      for (const change of planIn(one).changes) {
        expect(isIgnored(domainOf.get(idOf(change) ?? '') ?? change.domain)).toBe(false);
      }
    }),
    RUNS,
  );
});

test('a plan never deletes a record that is declared, protected or a duplicate', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const { changes, guards } = planIn(one);
      const refused = new Set(refusals(guards).map(({ code }) => code));
      const domainOf = domainsById(one);
      const isProtected = matcher(one.desired.protected);
      const isSeveral = (domain: string): boolean =>
        [...domainOf.values()].filter((other) => other === domain).length > 1;
      for (const change of changes) {
        if (change.action !== 'delete') continue;
        const domain = domainOf.get(change.id) ?? '';
        const named = [domain, change.domain];
        expect(named.some(isPresentIn(one.desired))).toBe(false);
        expect(!named.some(isProtected) || refused.has('protected')).toBe(true);
        expect(!isSeveral(domain) || refused.has('duplicates')).toBe(true);
        if (change.cause === 'prune') expect(isProtected(domain) || isSeveral(domain)).toBe(false);
      }
    }),
    RUNS,
  );
});

test('a plan never deletes without prune, unless the record is declared absent', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (given) => {
      const one = { ...given, options: { ...given.options, prune: false } };
      const absent = new Set(
        one.desired.websites.filter(({ state }) => state === 'absent').map(({ domain }) => domain),
      );
      for (const change of planIn(one).changes) {
        if (change.action === 'delete') expect(absent).toContain(change.domain);
      }
    }),
    RUNS,
  );
});

test('a plan never creates or prunes based on an incomplete list', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), fc.integer(), (one, seed) => {
      const whole = currentIn(one);
      const known = one.desired.websites.filter((_, index) => seed & (2 << index));
      const current = {
        ...whole,
        websites: whole.websites.filter((_, index) => seed & (4 << index)),
        complete: false,
        knownAbsent: new Set(known.map(({ domain }) => domain)),
      };
      const made = planIfPossible(one.desired, current, one.options);
      fc.pre(made !== undefined);
      const uncertain = made.changes.filter(
        (change) =>
          (change.action === 'create' && !current.knownAbsent.has(change.domain)) ||
          (change.action === 'delete' && change.cause === 'prune'),
      );
      expect(uncertain).toEqual([]);
      const codes = refusals(made.guards).map(({ code }) => code);
      expect(codes.includes('incomplete')).toBe(one.options.prune);
    }),
    RUNS,
  );
});

test('a plan never contains a password that the service shows', () => {
  let shown = 0;
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const made = planIn(one);
      expect(JSON.stringify(made)).not.toContain(PASSWORD);
      expect(inspect(made, { depth: null, showHidden: true })).not.toContain(PASSWORD);
      const isShown = one.ways.numbers === 'text' && !one.ways.hides.includes('password');
      if (isShown && one.records.some(({ password }) => password === PASSWORD)) shown += 1;
    }),
    RUNS,
  );
  expect(shown).toBeGreaterThan(RUNS.numRuns / 10);
});

test('a plan never contains a difference in a hidden or undeclared value', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const declared = new Map(one.desired.websites.map((website) => [website.domain, website.settings]));
      for (const change of planIn(one).changes) {
        if (change.action !== 'update') continue;
        const names = Object.keys(change.fields).filter((name) => name !== 'password');
        expect(Object.keys(declared.get(change.domain) ?? {})).toEqual(expect.arrayContaining(names));
        expect(Object.keys(change.before)).toEqual(expect.arrayContaining(names));
      }
    }),
    RUNS,
  );
});

test('a plan is the same in any order of its input', () => {
  const shuffled = world({ unsettled: true }).chain((one) =>
    fc.record({
      one: fc.constant(one),
      websites: fc.shuffledSubarray([...one.desired.websites], { minLength: one.desired.websites.length }),
      records: fc.shuffledSubarray([...one.records], { minLength: one.records.length }),
    }),
  );
  fc.assert(
    fc.property(shuffled, ({ one, websites, records }) => {
      const first = planIn(one);
      const desired = {
        websites,
        ignore: [...one.desired.ignore].reverse(),
        protected: [...one.desired.protected].reverse(),
      };
      const current = currentIn({ ...one, records });
      expect(plan(desired, current, one.options).digest).toBe(first.digest);
    }),
    RUNS,
  );
});

test('a plan for selected websites is part of the full plan', () => {
  fc.assert(
    fc.property(
      world({ selects: false, unsettled: true }),
      fc.array(pattern, { maxLength: 2 }),
      fc.array(pattern, { maxLength: 1 }),
      (one, target, exclude) => {
        const whole = planIn(one);
        const current = currentIn(one);
        const narrowed = { ...one.options, target, exclude };
        const part = plan(one.desired, current, narrowed);
        const isOurs = selection(narrowed);
        const ours = whole.changes.filter(({ domain }) => isOurs(domain));
        // While www variants may be one website, prune keeps a record that is excluded by its other name.
        const hasWww = current.websites.some(({ domain }) => domainKey(domain).startsWith('www.'));
        const isLeft = matcher(one.options.www === undefined && !hasWww ? withOtherNames(exclude) : []);
        expect(part.changes).toEqual(ours.filter((change) => !(isPrune(change) && isLeft(change.domain))));
      },
    ),
    RUNS,
  );
});

test('prune adds only deletes of orphans to a plan', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const without = planIn({ ...one, options: { ...one.options, prune: false } });
      const pruning = planIn({ ...one, options: { ...one.options, prune: true } });
      expect(pruning.changes.filter((change) => !isPrune(change)).map(line)).toEqual(
        without.changes.map(line),
      );
      expect(pruning.changes.filter(isPrune).length + pruning.orphans.length).toBe(without.orphans.length);
    }),
    RUNS,
  );
});

test('the counts in the summary of a plan agree with its changes', () => {
  fc.assert(
    fc.property(world({ unsettled: true }), (one) => {
      const { changes, orphans, summary, options: asked } = planIn(one);
      const prunes = changes.filter(isPrune).length;
      const isAsked = selection(asked);
      const count = one.desired.websites.filter(({ domain }) => isAsked(domain)).length;
      const { create, update } = summary;
      const unchanged = summary.unchanged ?? Number.NaN;
      expect(create + update + summary.delete).toBe(changes.length);
      expect(create + update + (summary.delete - prunes) + unchanged).toBe(count);
      expect(unchanged).toBeGreaterThanOrEqual(0);
      expect(summary.orphan).toBe(orphans.length);
    }),
    RUNS,
  );
});
