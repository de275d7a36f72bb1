/** What a plan has to know, and which domains it is about (decision: "Reads grow with the change"). */
import { domainKey } from '../model/domain.ts';
import { FIELD_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { PlanOptions, PlanQuestion } from '../model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles, Question, Wanted } from '../model/website.ts';
import { memoize } from '../util/memoize.ts';
import { byDomain } from './attribution.ts';
import { areAlike } from './diff.ts';
import { isLookUpEnough } from './match.ts';
import { lossesOf } from './plan.ts';
import { checkSelection, type Selection, selected } from './selection.ts';

/** `looksOnly`: every record is read. Throws `usage` for a selection that is none. */
export function questionOf({ desired, rules, context }: PlanQuestion, looksOnly = false): Question {
  const { earlier } = context;
  checkSelection(rules, [desired, earlier]);
  const about = looksOnly ? undefined : domainsAbout(desired, rules, earlier);
  return {
    about,
    wanted: () => wantedOf(desired, rules),
    isEnough: (current) => isLookUpEnough(about ?? [], current, desired, rules, earlier),
    whole: (current) => lossesOf({ desired, rules, context, current }),
  };
}

/** Each selected domain with the fields that it declares; made as they are asked for. */
export function* wantedOf(
  desired: Pick<Desired, 'websites' | 'groups'>,
  options: Selection,
): Generator<Wanted> {
  const declared = memoize((settings: Settings) => {
    const fields = FIELD_NAMES.filter((name) => settings[name] !== undefined);
    return { fields, filled: fields.filter((name) => !isEmpty(settings[name] ?? null)) };
  });
  const websites = selected(desired.websites, (website) => website.domain, options, [desired]);
  for (const { domain, settings } of websites) yield { domain, ...declared(settings) };
}

/** The domains that a plan is about; `undefined` if it may be about any. */
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
  const isDeclared = byDomain(desired);
  const gone = (earlier?.websites ?? []).flatMap(({ domain }) => (isDeclared.has(domain) ? [] : domain));
  const removed = isChanged === undefined || prune === 'removed' ? gone : [];
  return selected([...new Set([...declared, ...named, ...removed])], String, options, [desired, earlier]);
}

function changedSince(earlier: EarlierFiles, resend: boolean) {
  const before = byDomain(earlier);
  return ({ domain, state, protect, settings }: DesiredWebsite): boolean => {
    const was = before.get(domain);
    const isAlike = state === was?.state && protect === was.protect && areAlike(settings, was.settings);
    return !isAlike || (settings.password !== undefined && resend);
  };
}

function isDomain(pattern: string): boolean {
  return !pattern.includes('*');
}
