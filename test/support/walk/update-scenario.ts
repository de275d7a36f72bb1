/** A walk of the update rule: records, files, traits of a service, edits and a kill. */
import fc from 'fast-check';
import type { Effect, Result } from '../../../src/model/run.ts';
import type { Ended } from '../cli.ts';

export type Field =
  | 'privacy'
  | 'password'
  | 'email'
  | 'exclude_bots'
  | 'exclude_params'
  | 'exclude_ips'
  | 'favorited_at';

const flag = fc.constantFrom(0, 1);
export const VALUES = {
  privacy: fc.constantFrom(0, 1, 2),
  email: flag,
  exclude_bots: flag,
  exclude_params: fc.constantFrom(null, 'ref', 'utm'),
  exclude_ips: fc.constantFrom(null, '192.0.2.1', '198.51.100.7'),
  favorited_at: fc.constantFrom(null, '2026-01-31 09:00:00', '2026-02-01 10:00:00'),
};
const SHOWN = Object.keys(VALUES) as (keyof typeof VALUES)[];
export const FIELDS: readonly Field[] = [...SHOWN, 'password'];

export const stored = fc.record({ ...VALUES, password: fc.constantFrom(null, 'old') });
/** A few declared settings; a time can only be declared as missing. */
export const wanted = fc
  .tuple(
    fc.record({
      privacy: fc.constantFrom(0, 1, 2),
      email: flag,
      exclude_bots: flag,
      exclude_params: fc.constantFrom(null, 'ref', 'utm'),
      exclude_ips: fc.constantFrom(null, '192.0.2.1'),
      favorited_at: fc.constant(null),
    }),
    fc.subarray(SHOWN, { maxLength: 3 }),
  )
  .map(([values, names]): Partial<typeof values & { readonly password: string }> => {
    const settings: Partial<typeof values> = Object.fromEntries(names.map((name) => [name, values[name]]));
    return settings.privacy === 2 ? { ...settings, password: 'declared' } : settings;
  });
/** Never only the password: no read shows it before it is lost. */
const resets = fc.uniqueArray(fc.constantFrom(...SHOWN), { minLength: 1 });

const edit = fc.record({
  /** The request of the edit, counted over both applies from 0. */
  at: fc.nat(30),
  record: fc.nat(4),
  field: fc.constantFrom(...SHOWN),
  pick: fc.nat(5),
});

/** The effect of an update on omitted fields, and the fields that lists and answers show. */
export const dialects = fc.record({
  put: fc.oneof({ weight: 2, arbitrary: fc.constant('merge' as const) }, fc.constant('replace' as const), {
    weight: 3,
    arbitrary: fc.record({ resets }),
  }),
  fresh: fc.record({ privacy: fc.constantFrom(0, 1), exclude_bots: flag }),
  zoneHours: fc.constantFrom(0, 0, 2),
  writeAnswer: fc.constantFrom('record' as const, 'record' as const, 'id' as const, 'empty' as const),
  hiddenInList: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.subarray(['email', 'exclude_ips', 'favorited_at', 'password']),
  ),
  nulls: fc.constantFrom('shown' as const, 'shown' as const, 'left out' as const),
});

const scenarios = fc.record({
  sites: fc.array(fc.record({ stored, first: wanted, second: wanted }), { minLength: 2, maxLength: 5 }),
  dialect: dialects,
  pin: fc.constantFrom(undefined, undefined, undefined, 'changed' as const, 'full' as const),
  parallelism: fc.constantFrom(1, 1, 4),
});

const kills = fc.record({ at: fc.nat(14), isCarriedOut: fc.boolean() });

export type UpdateScenario =
  typeof scenarios extends fc.Arbitrary<infer T> ? Readonly<T> & Disturbance : never;

interface Disturbance {
  readonly edits: readonly (typeof edit extends fc.Arbitrary<infer T> ? T : never)[];
  /** The request at which the first apply is killed, and if that request is still carried out. */
  readonly kill: { readonly at: number; readonly isCarriedOut: boolean } | undefined;
}

/** Nobody else edits; one in `oneIn` is killed. */
export const scenariosAlone = (oneIn: number): fc.Arbitrary<UpdateScenario> =>
  disturbed(fc.constant([]), oneIn);

export const scenariosWithColleague = (oneIn: number): fc.Arbitrary<UpdateScenario> =>
  disturbed(fc.array(edit, { minLength: 2, maxLength: 8 }), oneIn);

function disturbed(edits: fc.Arbitrary<Disturbance['edits']>, oneIn: number): fc.Arbitrary<UpdateScenario> {
  const seldom = fc.nat(oneIn - 1).chain((lot) => (lot === 0 ? kills : fc.constant(undefined)));
  return fc
    .tuple(scenarios, edits, seldom)
    .map(([scenario, made, killed]) => ({ ...scenario, edits: made, kill: killed }));
}

export const domainAt = (index: number): string => `s${index}.example`;

/** An apply; without a result if it was killed, or had nothing to do. */
export interface Attempt extends Ended {
  readonly result: Result | undefined;
}

/** A setting of a record, as effects name it. */
export const keyOf = ({ domain, field }: Pick<Effect, 'domain' | 'field'>): string => `${domain} ${field}`;
