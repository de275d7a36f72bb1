import type { Change } from '../model/change.ts';
import type { FieldName } from '../model/field-table.ts';
import { sharedIdsText } from '../model/identity.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Warning } from '../model/warning.ts';
import type { Current } from '../model/website.ts';
import { editDistance } from '../util/did-you-mean.ts';
import { joinShortened } from '../util/text.ts';
import { isPrune } from './changes.ts';
import type { Match } from './match.ts';

export function warningsOf(
  { desired, current }: PlanInput,
  match: Match,
  changes: readonly Change[],
): readonly Warning[] {
  const declares = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => settings[name] !== undefined);
  const timed = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => typeof settings[name] === 'string');
  return [
    ...incomplete(current),
    ...unreadableValues(current).map(
      (text): Warning => ({ code: 'value-unreadable', message: `Cannot compare ${text}.` }),
    ),
    ...current.hidden.filter(declares).map(
      (name): Warning => ({
        code: 'setting-never-returned',
        message: `The service never returns ${name}, so it cannot be compared. It is sent only when another setting of the website changes.`,
      }),
    ),
    ...current.presenceOnly.filter(timed).map(
      (name): Warning => ({
        code: 'time-never-returned',
        message: `The service returns ${name} as a boolean only, so its time is not compared.`,
      }),
    ),
    ...match.duplicates.map(
      ({ domain, ids }): Warning => ({
        code: 'domain-in-several-records',
        message: `Several records have the domain ${domain}: #${ids.join(', #')}. None of them is deleted.`,
      }),
    ),
    ...renames(changes),
  ];
}

function incomplete({ complete, reason, sharedIds }: Current): Warning[] {
  if (complete) return [];
  if (sharedIds !== undefined) {
    const ids = sharedIdsText(sharedIds);
    const message = `The service shows ${ids}. These domains were not compared, and orphans are unknown.`;
    return [{ code: 'id-of-several-domains', message }];
  }
  const why = reason === undefined ? '' : ` (${reason})`;
  return [
    {
      code: 'list-unconfirmed',
      message: `The service may not have returned all of its records${why}. Each declared domain was looked up; orphans are unknown.`,
    },
  ];
}

function renames(changes: readonly Change[]): Warning[] {
  const pairs = renamesIn(changes);
  if (pairs.length === 0) return [];
  const message = `Looks like a rename: ${joinShortened(pairs)}. A domain cannot be renamed: the data of the old record will be lost.`;
  return [{ code: 'rename-suspected', message }];
}

const COMPARED_AT_MOST = 10_000;

/**
 * A pruned and a created domain may be one renamed website if they are the only two of a registrable domain, or differ
 * in one letter. Each is in one pair at most.
 */
function renamesIn(changes: readonly Change[]): readonly string[] {
  const pruned = changes.filter(isPrune).map(({ domain }) => domain);
  const created = changes.filter(({ action }) => action === 'create').map(({ domain }) => domain);
  const taken = new Set<string>();
  const pairs = (toOf: (from: string) => string | undefined): string[] =>
    pruned.flatMap((from) => {
      const to = taken.has(from) ? undefined : toOf(from);
      if (to === undefined) return [];
      taken.add(from).add(to);
      return `${from} → ${to}`;
    });
  const [gone, made] = [onlyOnes(pruned), onlyOnes(created)];
  const related = pairs((from) =>
    gone.get(registrable(from)) === from ? made.get(registrable(from)) : undefined,
  );
  if (pruned.length * created.length > COMPARED_AT_MOST) return related;
  const isNear = (from: string, to: string): boolean => !taken.has(to) && editDistance(from, to) === 1;
  return [...related, ...pairs((from) => created.find((to) => isNear(from, to)))];
}

function onlyOnes(domains: readonly string[]): ReadonlyMap<string, string | undefined> {
  const bySite = new Map<string, string | undefined>();
  for (const domain of domains) {
    const site = registrable(domain);
    bySite.set(site, bySite.has(site) ? undefined : domain);
  }
  return bySite;
}

/** Suffixes such as `co.uk` and `com.au`, under which others register domains. */
const SHARED_SUFFIX = /^(?:ac|co|com|edu|gob|gov|gouv|ltd|me|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

/** The domain that its owner registered: two labels, or three under a shared suffix. */
function registrable(domain: string): string {
  const labels = domain.split('.');
  const suffix = labels.slice(-2).join('.');
  return SHARED_SUFFIX.test(suffix) ? labels.slice(-3).join('.') : suffix;
}

/** One text per setting and value: `favorited_at of a.example: the service returned an object (…)`. */
export function unreadableValues({
  websites,
  unnamed = [],
}: Pick<Current, 'websites' | 'unnamed'>): string[] {
  const domains = new Map<string, Map<string, string[]>>();
  for (const { domain, id, unreadable = {} } of [...websites, ...unnamed]) {
    for (const [name, holds] of Object.entries(unreadable)) {
      const byShape = domains.get(name) ?? new Map<string, string[]>();
      byShape.set(holds, [...(byShape.get(holds) ?? []), domain === '' ? `record #${id}` : domain]);
      domains.set(name, byShape);
    }
  }
  return [...domains].flatMap(([name, byShape]) =>
    [...byShape].map(
      ([holds, records]) => `${name} of ${joinShortened(records)}: the service returned ${holds}`,
    ),
  );
}
