import { type FieldChange, isSecretChange } from '../model/change.ts';
import type { FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { PlanOptions } from '../model/plan.ts';
import { isSecretRef } from '../model/secret.ts';
import type { Current, Desired, DesiredWebsite, EarlierFiles, Website } from '../model/website.ts';
import { earlierOf, fieldOrigin } from './attribution.ts';
import { areAlike, compareWebsite, sameValue } from './diff.ts';
import { matchWebsites } from './match.ts';
import { selected } from './selection.ts';

export interface Accepted {
  readonly index: number;
  readonly desired: DesiredWebsite;
  readonly website: Website;
  readonly values: readonly { readonly field: FieldName; readonly value: Value }[];
  readonly refused: readonly { readonly field?: FieldName; readonly reason: string }[];
  readonly others: readonly string[];
}

/** Compares as a plan does; with the files of an earlier revision, only later drift counts. */
export function acceptable(
  desired: Desired,
  current: Current,
  options: PlanOptions,
  earlier?: EarlierFiles,
): readonly Accepted[] {
  const match = matchWebsites(desired, current, options);
  const then = earlier && earlierOf(desired, earlier, match);
  const positioned = match.pairs.map((pair, index) => ({ ...pair, index }));
  const files = [desired, earlier];
  return selected(positioned, ({ desired: { domain } }) => domain, options, files).flatMap(
    ({ desired: wanted, website, isVariant, index }): Accepted[] => {
      if (website === undefined) return [];
      const before = then?.(wanted.domain);
      const found = { index, desired: wanted, website, values: [], others: [] };
      if (wanted.state === 'absent') {
        const isDrift = then === undefined || before?.state === 'absent';
        return isDrift ? [{ ...found, refused: [{ reason: 'is declared with state: absent' }] }] : [];
      }
      const isOurs = ([name, change]: [string, FieldChange]): boolean =>
        then === undefined || isDrift(name as FieldName, change, before);
      const differing = Object.entries(compareWebsite(wanted, website, false).fields);
      const fields = differing.filter(isOurs);
      if (fields.length === 0) return [];
      if (isVariant && match.www === 'undecided') {
        const reason = 'exists only as its "www." variant, and service.www is not set';
        return [{ ...found, refused: [{ reason }] }];
      }
      const others = differing.filter((one) => !isOurs(one)).map(([name]) => name);
      return [{ ...found, ...sorted(fields, current.presenceOnly), others }];
    },
  );
}

function isDrift(name: FieldName, change: FieldChange, earlier: DesiredWebsite | undefined): boolean {
  if (earlier?.state !== 'present') return false;
  return fieldOrigin(name, change, earlier.settings[name]) === 'drift';
}

function sorted(
  fields: readonly (readonly [string, FieldChange])[],
  presenceOnly: Current['presenceOnly'],
): Pick<Accepted, 'values' | 'refused'> {
  const named = fields.map(([name, change]) => ({ field: name as FieldName, change }));
  return {
    values: named.flatMap(({ field, change }) => {
      if (isSecretChange(change)) return [];
      const { before = null } = change;
      // A service with presence alone has no more than that of a time.
      return { field, value: presenceOnly.includes(field) && typeof before === 'string' ? true : before };
    }),
    refused: named
      .filter(({ change }) => isSecretChange(change))
      .map(({ field }) => ({ field, reason: 'cannot be read from the service' })),
  };
}

/**
 * The first website of `after` that is not as in `before` plus `accepted`; only `refused` may differ from the service.
 */
export function firstOther(
  before: Desired,
  after: Desired,
  accepted: ReadonlyMap<number, Omit<Accepted, 'index' | 'desired'>>,
): string | undefined {
  const length = Math.max(before.websites.length, after.websites.length);
  for (let index = 0; index < length; index += 1) {
    const [was, is, taken] = [before.websites[index], after.websites[index], accepted.get(index)];
    if (was === undefined || is === undefined) return (was ?? is)?.domain;
    const values = taken?.values.map(({ field, value }) => [field, value]) ?? [];
    const settings = { ...was.settings, ...Object.fromEntries(values) };
    if (!isSame({ ...was, settings }, is) || (taken !== undefined && differsStill(is, taken)))
      return was.domain;
  }
  return undefined;
}

function differsStill(
  is: DesiredWebsite,
  { website, refused, others }: Omit<Accepted, 'index' | 'desired'>,
): boolean {
  const known = new Set<string | undefined>([...refused.map(({ field }) => field), ...others]);
  if (known.has(undefined)) return false;
  return Object.keys(compareWebsite(is, website, false).fields).some((name) => !known.has(name));
}

function isSame(a: DesiredWebsite, b: DesiredWebsite): boolean {
  const isDeclaredSo = (['domain', 'state', 'group', 'protect'] as const).every((key) => a[key] === b[key]);
  return isDeclaredSo && areAlike(a.settings, b.settings, (...of) => isPlain(...of) || sameValue(...of));
}

/** The place of a password in plain text moves with the lines above it. */
function isPlain(_: FieldName, ...values: readonly (Value | undefined)[]): boolean {
  return values.every((value) => isSecretRef(value) && 'yaml' in value);
}
