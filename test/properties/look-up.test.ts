import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFor } from '../../src/client/look-up.ts';
import { readCurrent } from '../../src/client/read-current.ts';
import type { Change } from '../../src/model/change.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import type { FieldName } from '../../src/model/field-table.ts';
import { isEmpty } from '../../src/model/field-types.ts';
import type { PlanOptions } from '../../src/model/plan.ts';
import type { Current, Desired, DesiredWebsite, Wanted, WwwRule } from '../../src/model/website.ts';
import { isLookUpEnough, wwwVariant } from '../../src/planner/match.ts';
import { domainsAbout } from '../../src/planner/selection.ts';
import { connect } from '../client/support.ts';
import { NO_FLAGS, planFor, wanted } from '../support/plans.ts';
import { type Dialect, type StoredRecord, startScriptedService } from '../support/scripted-service.ts';

const NAMES = [
  'a_b.example',
  'axb.example',
  'b.example',
  'bb.example',
  'sub.b.example',
  'new.example',
] as const;
const ALL = NAMES.flatMap((name) => [name, `www.${name}`]);
const name = fc.constantFrom(...ALL);

const declared = fc
  .tuple(
    name,
    fc.constantFrom<DesiredWebsite['state']>('present', 'present', 'absent'),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([domain, state, email, protect]) =>
    wanted(domain, state === 'absent' ? {} : { email, exclude_ips: ['192.0.2.1'] }, 1, { state, protect }),
  );

const desired: fc.Arbitrary<Desired> = fc.record({
  websites: fc.uniqueArray(declared, { selector: ({ domain }) => domain, maxLength: 6 }),
  ignore: fc.array(name, { maxLength: 1 }),
  protected: fc.array(name, { maxLength: 1 }),
});

/** Habits of a service in searches that must not mislead a plan. */
const HABITS = {
  usual: undefined,
  'takes _ and % as wildcards': (records: readonly StoredRecord[], search: string) => {
    const pattern = new RegExp(search.replaceAll('.', '\\.').replaceAll('_', '.').replaceAll('%', '.*'));
    return records.filter(({ domain }) => pattern.test(domain));
  },
  'ignores search': (records: readonly StoredRecord[]) => records,
  'has an index that lags': (records: readonly StoredRecord[], search: string) =>
    records.slice(5).filter(({ domain }) => domain.includes(search)),
  'finds nothing': () => [],
  'repeats records': (records: readonly StoredRecord[], search: string) => {
    const found = records.filter(({ domain }) => domain.includes(search));
    return [...found, ...found];
  },
} as const;

type Habit = keyof typeof HABITS;

interface World {
  readonly desired: Desired;
  readonly stored: readonly string[];
  readonly fill: number;
  readonly dialect: Partial<Dialect>;
  readonly habit: Habit;
  readonly www: WwwRule | undefined;
  readonly about: readonly string[];
}

const world: fc.Arbitrary<World> = fc
  .record({
    desired,
    stored: fc.array(name, { maxLength: 8 }),
    fill: fc.constantFrom(0, 60, 60, 90),
    habit: fc.constantFrom('usual', 'usual', 'usual', ...(Object.keys(HABITS) as Habit[])),
    paging: fc.constantFrom<Dialect['paging']>('total', 'links', 'cursor', 'numbers'),
    largestPage: fc.constantFrom(10, 25),
    refusedParameters: fc.constantFrom<readonly string[]>([], ['search_by'], ['sort'], ['per_page']),
    nulls: fc.constantFrom<Dialect['nulls']>('shown', 'left out'),
    hiddenInList: fc.constantFrom<readonly string[]>([], ['exclude_ips']),
    strips: fc.boolean(),
    unset: fc.boolean(),
    about: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
  })
  .map(({ strips, unset, stored, desired, fill, habit, about, ...dialect }) => ({
    ...{ desired, fill, habit, about },
    dialect: { ...dialect, unique: false },
    stored: strips ? stored.map((domain) => domain.replace(/^www\./, '')) : stored,
    www: unset ? undefined : strips ? 'same' : 'distinct',
  }));

/** The search of a dialect with this habit. */
function listedBy(habit: Habit) {
  const search = HABITS[habit];
  return { search, isOdd: search !== undefined };
}

async function startWorld({ stored, fill, dialect, habit }: World) {
  const records = [
    ...stored.map((domain, index) => ({
      domain,
      email: index % 2,
      exclude_ips: index % 3 === 0 ? '192.0.2.1' : null,
    })),
    ...Array.from({ length: fill }, (_, index) => `fill-${index}.test`),
    // An older record, so that those of the search are not always the newest.
    ...stored.slice(0, 1).map((domain) => ({ domain: `z-${domain}` })),
  ];
  const { search, isOdd } = listedBy(habit);
  let asked = '';
  const service = await startScriptedService({
    records,
    dialect: {
      ...dialect,
      takenElsewhere: ['new.example'],
      ...(isOdd && {
        search: 'ignored',
        listedAs: (all, isSearch) => (isSearch && search ? search(all, asked) : all),
      }),
    },
    faults: ({ query }) => {
      asked = query.search ?? '';
      return undefined;
    },
  });
  return service;
}

function* wantedOf(
  { websites }: Desired,
  domains: readonly string[],
  www: WwwRule | undefined,
): Generator<Wanted> {
  const names = www === 'same' ? domains.flatMap((one) => [one, wwwVariant(one)]) : domains;
  for (const { domain, settings } of websites) {
    if (!names.includes(domain)) continue;
    const fields = Object.keys(settings) as FieldName[];
    yield { domain, fields, filled: fields.filter((name) => !isEmpty(settings[name] ?? null)) };
  }
}

interface Planned {
  readonly changes: readonly Change[];
  readonly orphans: readonly string[];
  readonly blocked: readonly string[];
}

/** Plans only the domains of the search, and without shares, which have another total. */
function planned(
  wished: Desired,
  current: Current,
  options: PlanOptions,
  about: readonly string[],
): Planned | string[] {
  try {
    const { changes, orphans, guards } = planFor({ desired: wished, current, options });
    return {
      changes,
      orphans: orphans.map(({ domain }) => domain).filter((domain) => about.includes(domain)),
      blocked: guards.map(({ code }) => code).filter((code) => code !== 'deletes' && code !== 'updates'),
    };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

test('a plan that searches for each domain equals the full plan', { timeout: 120_000 }, async () => {
  let lookedUp = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const { desired: wished, www, about: domain } = one;
      const options: PlanOptions = { ...NO_FLAGS, domain, ...(www && { www }), allow: { empty: true } };
      const about = domainsAbout(wished, options, undefined) ?? [];
      const service = await startWorld(one);
      const [first, second] = [connect(service), connect(service)];
      try {
        const read = { www };
        const wantedHere = () => wantedOf(wished, domain, www);
        const full = await readCurrent(first, await first.list(), wantedHere(), read);
        const asked = { desired: wished, rules: options, context: {} };
        const isEnough = (found: Current) => isLookUpEnough(about, found, asked);
        const looked = await readFor(second, { about, wanted: wantedHere, isEnough }, read);
        if (looked.lookedUp !== undefined) lookedUp += 1;
        expect(planned(wished, looked, options, about)).toEqual(planned(wished, full, options, about));
      } finally {
        await service.close();
      }
    }),
    { numRuns: Number(process.env.FC_RUNS ?? 30) },
  );
  expect(lookedUp).toBeGreaterThan(1);
});
