/** What a reader of a plan should know, and what no guard needs to stop. */
import type { Change } from '../model/change.ts';
import { wwwVariant } from '../model/domain.ts';
import type { FieldName } from '../model/field-table.ts';
import type { Warning, WarningCode } from '../model/warning.ts';
import type { Current, Desired, DesiredWebsite } from '../model/website.ts';
import { some } from '../util/text.ts';
import { isPrune } from './changes.ts';
import type { Match } from './match.ts';
import { renamesIn } from './renames.ts';
import { unreadableValues } from './unreadable.ts';

export function warningsOf(
  desired: Desired,
  current: Current,
  match: Match,
  unchangedTwins: readonly DesiredWebsite[],
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
    ...maybeTwins(unchangedTwins),
    ...maybeOne(match, changes),
    ...(match.www === 'same' ? changes.filter(isPrune) : [])
      .filter(({ domain }) => match.declared.has(wwwVariant(domain)))
      .map(
        ({ domain }): Warning => ({
          code: 'www-pruned',
          message: `Prune takes ${domain}: the service has a second record, ${wwwVariant(domain)}, for the same website ("service.www: same").`,
        }),
      ),
    ...renames(changes),
  ];
}

function incomplete({ complete, reason }: Current): Warning[] {
  if (complete) return [];
  const why = reason === undefined ? '' : ` (${reason})`;
  return [
    {
      code: 'list-unconfirmed',
      message: `The service may not have returned all of its records${why}. Each declared domain was looked up; orphans are unknown.`,
    },
  ];
}

function maybeTwins(twins: readonly DesiredWebsite[]): Warning[] {
  const tell = (code: WarningCode, state: DesiredWebsite['state'], what: string): Warning[] => {
    const named = twins
      .filter((website) => website.state === state)
      .map(({ domain }) => `${domain} (${wwwVariant(domain)})`);
    if (named.length === 0) return [];
    return [
      {
        code,
        message: `${what}: ${some(named)}. Set "service.www" to "same" if both names are one website, otherwise to "distinct".`,
      },
    ];
  };
  return [
    ...tell('www-matched', 'present', 'Matched to the "www." variant on the service'),
    ...tell('www-not-deleted', 'absent', 'Not deleted, because only the "www." variant exists'),
  ];
}

/** While the rule is undecided no current domain begins with `www.`, so whatever does so is created. */
function maybeOne({ www, declared }: Match, changes: readonly Change[]): Warning[] {
  const domains = (www === 'undecided' ? changes : [])
    .filter(({ action, domain }) => action === 'create' && domain.startsWith('www.'))
    .map(({ domain }) => wwwVariant(domain))
    .filter((domain) => declared.has(domain));
  if (domains.length === 0) return [];
  return [
    {
      code: 'www-declared-twice',
      message: `Declared with and without "www.": ${some(domains)}. A service that treats both names as one website rejects one of them. Set "service.www".`,
    },
  ];
}

function renames(changes: readonly Change[]): Warning[] {
  const pairs = renamesIn(changes).map(({ from, to }) => `${from} → ${to}`);
  if (pairs.length === 0) return [];
  return [
    {
      code: 'rename-suspected',
      message: `Looks like a rename: ${some(pairs)}. A domain cannot be renamed: the data of the old record will be lost.`,
    },
  ];
}
