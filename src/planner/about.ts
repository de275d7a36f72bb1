/** Which domains a plan is about (decision: "Reads grow with the change"). */
import { domainKey } from '../model/domain.ts';
import { FIELDS, type FieldName } from '../model/field-table.ts';
import type { PlanOptions } from '../model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles } from '../model/website.ts';
import { selected } from './selection.ts';

/**
 * Finds the domains that a plan is about; `undefined` if it may be about any.
 */
export function domainsAbout(
  desired: Desired,
  options: PlanOptions,
  earlier: EarlierFiles | undefined,
): readonly string[] | undefined {
  const { domain: patterns, group = [], only, prune, resend_passwords } = options;
  const isExact = patterns.length > 0 && patterns.every(isDomain);
  const isChanged =
    only === 'config' && earlier?.onlyWebsites ? changedSince(earlier, resend_passwords) : undefined;
  // Whatever is in a group is declared. Prune makes a change of every orphan, which may be anywhere.
  if (prune === true || (!isExact && group.length === 0 && isChanged === undefined)) return undefined;
  const isAbout = (website: DesiredWebsite): boolean => isChanged?.(website) ?? true;
  const declared = desired.websites.filter(isAbout).map(({ domain }) => domain);
  // One that is not declared, or not any more, may be an orphan, or a slip: the service tells.
  const named = isChanged === undefined ? patterns.filter(isDomain).map(domainKey) : [];
  const removed = isChanged === undefined || prune === 'removed' ? notIn(desired, earlier) : [];
  return selected([...new Set([...declared, ...named, ...removed])], String, options, [desired, earlier]);
}

/** Domains that the files declared then, and do not now. */
function notIn(desired: Desired, earlier: EarlierFiles | undefined): readonly string[] {
  const declared = new Set(desired.websites.map(({ domain }) => domain));
  return (earlier?.websites ?? []).flatMap(({ domain }) => (declared.has(domain) ? [] : domain));
}

function changedSince(earlier: EarlierFiles, resend: boolean) {
  const before = new Map(earlier.websites.map((website) => [website.domain, website]));
  return (website: DesiredWebsite): boolean =>
    !isDeclaredAlike(website, before.get(website.domain)) ||
    (website.settings.password !== undefined && resend);
}

function isDeclaredAlike(now: DesiredWebsite, before: DesiredWebsite | undefined): boolean {
  if (before === undefined || now.state !== before.state || now.protect !== before.protect) return false;
  const names = Object.keys({ ...now.settings, ...before.settings }) as FieldName[];
  return names.every((name) => {
    const [a, b] = [now.settings[name], before.settings[name]];
    return a !== undefined && b !== undefined && FIELDS[name].kind.equal(a, b);
  });
}

function isDomain(pattern: string): boolean {
  return !pattern.includes('*');
}
