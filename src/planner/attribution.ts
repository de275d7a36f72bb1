/**
 * Whose change is it? Three-way comparison of a change with the files of an earlier revision: what the files
 * say differently since then is the configuration's; what the service shows differently is drift.
 */

import { type Change, type FieldChange, isSecretChange, type Origin } from '../model/change.ts';
import { matcher } from '../model/domain.ts';
import { FIELDS, type FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Desired, DesiredWebsite, EarlierFiles } from '../model/website.ts';
import { isPrune } from './changes.ts';
import { type Names, otherOf, withOtherNames } from './match.ts';

/**
 * Tells the origin of each change from the desired records of now and of the earlier revision. A domain
 * that was not declared then may have been meant by its other name, if that is not declared now. With `resend`, a password is another one by now, and not one that the service lost.
 */
export function originTeller(
  now: Desired,
  earlier: EarlierFiles,
  names: Names,
  resend: boolean,
): (change: Change) => Origin {
  const current = byDomain(now);
  const then = earlierOf(now, earlier, names);
  const wasKept = matcher(withOtherNames([...earlier.ignore, ...earlier.protected], names));
  return (change) => {
    const { domain } = change;
    // What the files did not list was nobody's, unless they said that it is to be deleted.
    if (isPrune(change) && (earlier.prune !== true || wasKept(domain))) return 'config';
    return originOf(change, current.get(domain), then(domain), resend);
  };
}

/** The record of the earlier revision that is meant by a domain of now, as originTeller has it. */
export function earlierOf(
  now: Desired,
  earlier: EarlierFiles,
  names: Names,
): (domain: string) => DesiredWebsite | undefined {
  const current = byDomain(now);
  const before = byDomain(earlier);
  return (domain) => {
    const other = otherOf(domain, names);
    const isOwn = other === undefined || before.has(domain) || current.has(other);
    return before.get(isOwn ? domain : other);
  };
}

function byDomain(desired: Desired): ReadonlyMap<string, DesiredWebsite> {
  return new Map(desired.websites.map((website) => [website.domain, website]));
}

function originOf(
  change: Change,
  now: DesiredWebsite | undefined,
  earlier: DesiredWebsite | undefined,
  resend: boolean,
): Origin {
  if (change.action === 'delete') return wasWanted(earlier) || isNewIn(now, earlier) ? 'config' : 'drift';
  if (!wasWanted(earlier)) return 'config';
  if (change.action === 'create') return saysTheSame(now, earlier) ? 'drift' : 'both';
  const origins = Object.entries(change.fields).map(([name, field]) =>
    now !== undefined && resend && isSecretChange(field)
      ? 'config'
      : fieldOrigin(name as FieldName, field, earlier.settings[name as FieldName]),
  );
  return origins.every((origin) => origin === origins[0]) ? (origins[0] ?? 'config') : 'both';
}

/** Whether the files name a record, here as absent, that they did not name. */
function isNewIn(now: DesiredWebsite | undefined, earlier: DesiredWebsite | undefined): boolean {
  return now !== undefined && earlier === undefined;
}

function wasWanted(website: DesiredWebsite | undefined): website is DesiredWebsite {
  return website?.state === 'present';
}

function saysTheSame(now: DesiredWebsite | undefined, earlier: DesiredWebsite): boolean {
  const names = Object.keys({ ...now?.settings, ...earlier.settings }) as FieldName[];
  return names.every((name) => same(name, now?.settings[name], earlier.settings[name]));
}

/** A field that was not declared before was nobody's: that it is now is the configuration's doing. */
export function fieldOrigin(name: FieldName, field: FieldChange, declared: Value | undefined): Origin {
  if (declared === undefined) return 'config';
  if (isSecretChange(field)) return same(name, field.ref, declared) ? 'drift' : 'config';
  if (same(name, field.after, declared)) return 'drift';
  return field.before !== undefined && FIELDS[name].kind.equal(declared, field.before) ? 'config' : 'both';
}

/** Whether both are said, and mean the same. */
function same(name: FieldName, a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && FIELDS[name].kind.equal(a, b);
}
