import { type FieldChange, isSecretChange } from '../../model/change.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { PlanOptions } from '../../model/plan.ts';
import { isSecretRef } from '../../model/secret.ts';
import type { Current, Desired, DesiredWebsite, EarlierFiles } from '../../model/website.ts';
import { earlierOf, fieldOrigin } from '../../planner/attribution.ts';
import { areAlike, compareWebsite, sameValue } from '../../planner/diff.ts';
import { matchWebsites } from '../../planner/match.ts';
import { selection } from '../../planner/selection.ts';
import { groupBy } from '../../util/group-by.ts';

export interface Accepted {
  readonly index: number;
  readonly desired: DesiredWebsite;
  readonly field: FieldName;
  readonly value: Value;
}

/** The reason continues the sentence "FIELD …", or is about the whole record. */
export interface Refused extends Pick<Accepted, 'index' | 'desired'> {
  readonly field?: FieldName;
  readonly reason: string;
}

export type Drift = readonly (Accepted | Refused)[];

/** Compares like a plan. With an earlier revision, returns only the drift since then. */
export function acceptable(
  desired: Desired,
  current: Current,
  options: PlanOptions,
  earlier?: EarlierFiles,
): Drift {
  const match = matchWebsites(desired, current, options);
  const then = earlier && earlierOf(earlier, match);
  const isSelected = selection(options, [desired, earlier]);
  return match.pairs.flatMap(({ desired: wanted, website, isVariant }, index): Drift => {
    if (website === undefined || !isSelected(wanted.domain)) return [];
    const was = then?.(wanted.domain);
    const found = { index, desired: wanted };
    if (wanted.state === 'absent') {
      const isDrift = then === undefined || was?.state === 'absent';
      return isDrift ? [{ ...found, reason: 'is declared with state: absent' }] : [];
    }
    const isOurs = (name: FieldName, change: FieldChange): boolean =>
      then === undefined ||
      (was?.state === 'present' && fieldOrigin(name, change, was.settings[name]) === 'drift');
    const { fields } = compareWebsite(wanted, website, false);
    const drifted = (Object.entries(fields) as [FieldName, FieldChange][]).filter((one) => isOurs(...one));
    if (drifted.length > 0 && isVariant && match.www === 'undecided')
      return [{ ...found, reason: 'exists only as its "www." variant, and service.www is not set' }];
    return drifted.map(([field, change]) => {
      if (isSecretChange(change)) return { ...found, field, reason: 'cannot be read from the service' };
      const { before = null } = change;
      // The service may show only that a time is set, and not the time itself.
      const isPresence = current.presenceOnly.includes(field) && typeof before === 'string';
      return { ...found, field, value: isPresence ? true : before };
    });
  });
}

/** Returns the first website that differs from `before` with the `accepted` values. */
export function firstOther(
  before: Desired,
  after: Desired,
  accepted: readonly Accepted[],
): string | undefined {
  const values = new Map(groupBy(accepted, ({ index }) => index));
  const expected = before.websites.map((was, index) => {
    const own = values.get(index)?.map(({ field, value }) => [field, value]) ?? [];
    return { ...was, settings: { ...was.settings, ...Object.fromEntries(own) } };
  });
  const other = expected.find((was, index) => !isSame(was, after.websites[index]));
  return (other ?? after.websites[expected.length])?.domain;
}

function isSame(a: DesiredWebsite, b: DesiredWebsite | undefined): boolean {
  if (b === undefined) return false;
  const isDeclaredSo = (['domain', 'state', 'group', 'protect'] as const).every((key) => a[key] === b[key]);
  // A plain-text password counts as equal, because its reference contains a location, which moves if lines above it
  // change.
  const isPlain = (value: Value | undefined): boolean => isSecretRef(value) && 'yaml' in value;
  const isAlike: typeof sameValue = (name, one, other) =>
    (isPlain(one) && isPlain(other)) || sameValue(name, one, other);
  return isDeclaredSo && areAlike(a.settings, b.settings, isAlike);
}
