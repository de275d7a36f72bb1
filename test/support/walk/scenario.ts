/** A random walk: desired and stored records, a dialect, faults, and the moments of kills. */
import fc from 'fast-check';
import type { Settings } from '../../../src/model/field-table.ts';
import type { PlanOptions } from '../../../src/model/plan.ts';
import type { Dialect, Fault, StoredRecord } from '../scripted-service.ts';

/** All times here are real ones, in milliseconds; no request is in flight longer than MAX_WORK. */
export const REQUEST_TIMEOUT = 60;
const MAX_WORK = 40;
const LAG = 15;

export interface Scenario {
  /** Keys of the file other than its websites. */
  readonly file?: { readonly ignore?: readonly string[]; readonly protected?: readonly string[] };
  readonly sites: readonly Site[];
  /** Undeclared records, so that there are several pages. */
  readonly others: number;
  readonly dialect: Partial<Dialect>;
  /** The service answers only on its www variant, and redirects to it with this status. */
  readonly redirect: number | undefined;
  readonly options: Partial<PlanOptions>;
  readonly parallelism: number;
  readonly canary: number | undefined;
  /** The fault of each request, by the order of arrival. */
  readonly faults: readonly (Fault | undefined)[];
  /** The port is closed for `ms` from this request on. */
  readonly outage: { readonly at: number; readonly ms: number } | undefined;
  /** Number of address look-ups of the host that fail at first. */
  readonly lookupsLost: number;
  /** Requests, counted from 0 in each round, at which the run is killed, and the start of the next round. */
  readonly kills: readonly Kill[];
  readonly interruptAt: number | undefined;
}

export interface Kill {
  readonly at: number;
  /** The request at which the run is killed is still sent. */
  readonly isSent: boolean;
  readonly next: 'resume' | 'fresh';
}

interface Site {
  readonly stored: Partial<StoredRecord> | undefined;
  readonly wanted: Settings | 'absent' | undefined;
}

export const SECRET = 's3cret-value';

const settings: fc.Arbitrary<Settings> = fc.record(
  {
    privacy: fc.constantFrom(0, 1),
    email: fc.boolean(),
    exclude_bots: fc.boolean(),
    exclude_params: fc.constantFrom<readonly string[]>([], ['ref'], ['ref', 'utm']),
    favorited_at: fc.constantFrom(null, true, '2026-01-31T09:00:00Z'),
  },
  { requiredKeys: [] },
);
const locked = fc.constant<Settings>({ privacy: 2, password: { env: 'PASSWORD' } });

const stored: fc.Arbitrary<Partial<StoredRecord>> = fc.record({
  privacy: fc.constantFrom(0, 1),
  email: fc.constantFrom(0, 1),
  exclude_bots: fc.constantFrom(0, 1),
  exclude_params: fc.constantFrom(null, 'ref', 'utm\nref'),
  exclude_ips: fc.constantFrom(null, '192.0.2.1\n192.0.2.0/24'),
  favorited_at: fc.constantFrom(null, '2026-01-31 09:00:00'),
});

function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const rateHeaders = fc.constantFrom('laravel', 'plain', 'date', 'none');

const lists: fc.Arbitrary<Partial<Dialect>> = fc.oneof(
  fc.record({
    envelope: fc.constantFrom('data', 'websites'),
    paging: fc.constantFrom('total', 'links', 'cursor', 'numbers', 'ignored'),
    linksTo: fc.constantFrom(undefined, 'https://elsewhere.invalid'),
  }),
  fc.record({ envelope: fc.constant(''), paging: fc.constantFrom('numbers', 'ignored') }),
);

const dialects: fc.Arbitrary<Partial<Dialect>> = fc
  .tuple(
    lists,
    fc.record({
      one: fc.constantFrom('data', '', 'website'),
      largestPage: fc.constantFrom(10, 100),
      refusedParameters: fc.constantFrom<readonly string[]>([], ['per_page'], ['sort', 'sort_by']),
      search: fc.constantFrom('substring', 'exact'),
      hiddenInList: fc.constantFrom<readonly string[]>(
        [],
        ['email', 'favorited_at', 'favorite'],
        ['password'],
      ),
      hiddenInRead: fc.constantFrom<readonly string[]>([], ['password']),
      ids: fc.constantFrom('number', 'string'),
      numbers: fc.constantFrom('number', 'string', 'boolean'),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      times: fc.constantFrom('blank', 'micro', 'offset'),
      favorite: fc.constantFrom('favorited_at', 'favorite'),
      put: fc.constantFrom('merge', 'replace'),
      www: fc.constantFrom('strip', 'keep'),
      unique: fc.boolean(),
      errors: fc.constantFrom('fields', 'stock', 'text', 'html'),
      writeAnswer: fc.constantFrom('record', 'id', 'empty'),
      lagMs: fc.constantFrom(0, 0, 0, LAG),
      clockSkewMs: fc.constantFrom(0, -86_400_000, 86_400_000),
      rateLimit: seldom(rateHeaders.map((headers) => ({ requests: 8, windowMs: 10, headers }))),
    }),
  )
  .map(([list, rest]) => ({ ...rest, ...list }))
  // Nobody can safely use a service that shows writes late and accepts a domain twice.
  .map((dialect) => ((dialect.lagMs ?? 0) > 0 ? { ...dialect, unique: true } : dialect));

const when = fc.constantFrom('before' as const, 'after' as const);
const ms = fc.integer({ min: 1, max: MAX_WORK });
const plainFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    status: fc.constantFrom(408, 500, 502, 503, 504),
    when,
  }),
  fc.record({ kind: fc.constant('throttle' as const), seconds: fc.constantFrom(0, 1), headers: rateHeaders }),
  fc.record({ kind: fc.constant('reset' as const), when }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('late' as const), ms }) },
  fc.record({ kind: fc.constant('hang' as const), when }),
  fc.constantFrom<Fault>({ kind: 'cut' }, { kind: 'endless' }, { kind: 'empty' }, { kind: 'page' }),
);
const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 5, arbitrary: plainFault },
  { weight: 1, arbitrary: ms.map((delay): Fault => ({ kind: 'delay', ms: delay })) },
);

const kill: fc.Arbitrary<Kill> = fc.record({
  at: fc.nat(15),
  isSent: fc.boolean(),
  next: fc.constantFrom('resume' as const, 'fresh' as const),
});

export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    sites: fc.array(
      fc.record({
        // Half of the declared records are created: only creates can fail forever.
        stored: fc.option(stored, { nil: undefined, freq: 2 }),
        wanted: fc.oneof(
          { weight: 4, arbitrary: settings },
          { weight: 1, arbitrary: locked },
          { weight: 1, arbitrary: fc.constant('absent' as const) },
          { weight: 1, arbitrary: fc.constant(undefined) },
        ),
      }),
      { minLength: 1, maxLength: 10, size: 'max' },
    ),
    others: fc.constantFrom(0, 0, 12),
    dialect: dialects,
    redirect: fc.constantFrom(undefined, undefined, undefined, 301, 302, 307, 308),
    options: fc.record({ prune: fc.boolean(), update: fc.constantFrom('full', 'full', 'changed') }),
    parallelism: fc.constantFrom(1, 2, 4),
    canary: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    faults: fc.array(fc.option(fault, { nil: undefined, freq: 2 }), { maxLength: 50, size: 'max' }),
    outage: seldom(fc.record({ at: fc.nat(20), ms })),
    lookupsLost: fc.constantFrom(0, 0, 0, 2),
    kills: fc.array(kill, { maxLength: 2, size: 'max' }),
    interruptAt: seldom(fc.nat(25)),
  })
  .map(soundOptions);

/** Excludes settings that the tool refuses, or that are known to lose something. */
function soundOptions(scenario: Scenario): Scenario {
  const { dialect, options } = scenario;
  const prune = options.prune === true && dialect.paging !== 'ignored';
  const update = dialect.put === 'replace' ? 'full' : (options.update ?? 'full');
  const sites = dialect.put === 'replace' ? scenario.sites.map(withPrivacy) : scenario.sites;
  return { ...scenario, sites, options: { ...options, prune, update } };
}

/** A service that resets privacy closes a public website, unless that is declared. */
function withPrivacy({ stored, wanted }: Scenario['sites'][number]): Scenario['sites'][number] {
  const isUpdate = stored !== undefined && wanted !== undefined && wanted !== 'absent';
  if (!isUpdate || stored.privacy !== 0 || 'privacy' in wanted) return { stored, wanted };
  return { stored, wanted: { ...wanted, privacy: 0 } };
}

/** The second site has a `www.`; none has another site as its www variant. */
export function siteOf(index: number): string {
  return `${index === 1 ? 'www.' : ''}site-${String(index).padStart(2, '0')}.example`;
}

/** `websites.yaml` as JSON, which is YAML too. */
export function fileOf({ sites, file }: Scenario): string {
  const websites = sites.flatMap((site, index) => {
    const domain = siteOf(index);
    if (site.wanted === undefined) return [];
    return site.wanted === 'absent' ? [{ domain, state: 'absent' }] : [{ domain, ...declared(site.wanted) }];
  });
  return JSON.stringify({ version: 1, ...file, websites });
}

/** The form of a file: a favorite without a time has another name. */
function declared({ favorited_at, ...rest }: Settings): object {
  if (favorited_at === true) return { ...rest, favorite: true };
  return favorited_at === undefined ? rest : { ...rest, favorited_at };
}

/** The initial records of the service. */
export function recordsOf({ sites, others, dialect }: Scenario) {
  const declared = sites.flatMap((site, index) => {
    const domain = dialect.www === 'strip' ? siteOf(index).replace(/^www\./, '') : siteOf(index);
    return site.stored === undefined ? [] : [{ ...site.stored, domain }];
  });
  const more = Array.from({ length: others }, (_, index) => ({ domain: `other-${index}.test` }));
  return [...declared, ...more];
}
