/**
 * Finds the origin of each change: `config` if the files changed since the earlier revision, `drift` if only the record
 * did, `both` if both did.
 */
import { type Change, type FieldChange, isSecretChange, type Origin, type Update } from '../model/change.ts';
import { matcher } from '../model/domain.ts';
import type { FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles } from '../model/website.ts';
import { isPrune } from './changes.ts';
import { areAlike, sameValue } from './diff.ts';
import { isOtherDeclared, type Match, otherOf, withOtherNames } from './match.ts';

/**
 * Adds the origin of each change, and the group that a pruned website had. With `resend_passwords`, a password counts
 * as a configuration change.
 */
export function withOrigins(
  changes: readonly Change[],
  { desired, rules, context: { earlier } }: PlanInput,
  match: Match,
): readonly Change[] {
  if (earlier === undefined) return changes;
  const [now, then] = [byDomain(desired), earlierOf(earlier, match)];
  const wasKept = matcher(withOtherNames([...earlier.ignore, ...earlier.protected], match));
  // The earlier files did not manage an undeclared record, unless their `prune` deleted it.
  const isOwn = (change: Change): boolean =>
    isPrune(change) && (earlier.prune !== true || wasKept(change.domain));
  const originOf = (change: Change, was: DesiredWebsite | undefined): Origin => {
    const is = now.get(change.domain);
    const isNew = was?.state !== 'present';
    if (change.action === 'delete') return isOwn(change) || !isNew || (is && !was) ? 'config' : 'drift';
    if (isNew) return 'config';
    if (change.action === 'create') return areAlike(is?.settings, was.settings) ? 'drift' : 'both';
    return updateOrigin(change, was, rules.resend_passwords && is !== undefined);
  };
  return changes.map((change) => {
    const was = then(change.domain);
    const group = isPrune(change) ? was?.group : change.group;
    return { ...change, origin: originOf(change, was), group };
  });
}

function updateOrigin({ fields }: Update, { settings }: DesiredWebsite, isResent: boolean): Origin {
  const origins = Object.entries(fields).map(([name, field]) =>
    isResent && isSecretChange(field)
      ? 'config'
      : fieldOrigin(name as FieldName, field, settings[name as FieldName]),
  );
  return origins.every((origin) => origin === origins[0]) ? (origins[0] ?? 'config') : 'both';
}

/** Finds the earlier declaration of a domain, or of its www variant if no file declares that variant now. */
export function earlierOf(
  earlier: EarlierFiles,
  match: Pick<Match, 'www' | 'declared'>,
): (domain: string) => DesiredWebsite | undefined {
  const before = byDomain(earlier);
  return (domain) => {
    const other = isOtherDeclared(domain, match) ? undefined : otherOf(domain, match);
    return before.get(domain) ?? before.get(other ?? domain);
  };
}

export function byDomain({ websites }: Pick<Desired, 'websites'>): ReadonlyMap<string, DesiredWebsite> {
  return new Map(websites.map((website) => [website.domain, website]));
}

/** A field that the earlier files did not declare is a configuration change. */
export function fieldOrigin(name: FieldName, field: FieldChange, declared: Value | undefined): Origin {
  if (declared === undefined) return 'config';
  if (isSecretChange(field)) return sameValue(name, field.ref, declared) ? 'drift' : 'config';
  if (sameValue(name, field.after, declared)) return 'drift';
  return sameValue(name, declared, field.before) ? 'config' : 'both';
}
