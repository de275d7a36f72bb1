/** What a reader of a plan should know, and what no guard needs to stop. */
import type { Change } from './change.ts';
import { isPrune } from './changes.ts';
import { wwwTwin } from './domain.ts';
import type { FieldName } from './fields.ts';
import type { Match } from './match.ts';
import { some } from './names.ts';
import type { Current, Desired, DesiredWebsite } from './website.ts';

export function warningsOf(
  desired: Desired,
  current: Current,
  match: Match,
  unchangedTwins: readonly DesiredWebsite[],
  changes: readonly Change[],
): readonly string[] {
  const declares = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => settings[name] !== undefined);
  const timed = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => typeof settings[name] === 'string');
  return [
    ...incomplete(current),
    ...current.hidden
      .filter(declares)
      .map(
        (name) =>
          `The service shows ${name} nowhere: it is sent with other changes of a record and never compared.`,
      ),
    ...current.presenceOnly
      .filter(timed)
      .map((name) => `The service knows ${name} as yes or no only: the time is not compared.`),
    ...match.duplicates.map(
      ({ domain, ids }) =>
        `Several records have the domain ${domain}: #${ids.join(', #')}. None of them is deleted.`,
    ),
    ...unchangedTwins.map(({ domain, state }) =>
      state === 'absent'
        ? `${domain} is to be absent, and may be ${wwwTwin(domain)}, which is left alone; set "service.www" to settle it.`
        : `${domain} is taken to be ${wwwTwin(domain)}, which the service has; set "service.www" to settle it.`,
    ),
    ...maybeOne(match, changes),
    ...(match.www === 'same' ? changes.filter(isPrune) : [])
      .filter(({ domain }) => match.declared.has(wwwTwin(domain)))
      .map(
        ({ domain }) =>
          `Prune takes ${domain}: the service has a second record, ${wwwTwin(domain)}, for the same website ("service.www: same").`,
      ),
    ...(isRename(changes)
      ? [
          'A domain cannot be renamed: a delete and a create lose what the service keeps under the old record.',
        ]
      : []),
  ];
}

function incomplete({ complete, reason }: Current): string[] {
  if (complete) return [];
  const why = reason === undefined ? '' : ` (${reason})`;
  return [
    `The list of current records is not proven complete${why}: each declared domain was looked up, orphans are not known.`,
  ];
}

/** While the rule is undecided no current domain begins with `www.`, so whatever does so is created. */
function maybeOne({ www, declared }: Match, changes: readonly Change[]): string[] {
  const domains = (www === 'undecided' ? changes : [])
    .filter(({ action, domain }) => action === 'create' && domain.startsWith('www.'))
    .map(({ domain }) => wwwTwin(domain))
    .filter((domain) => declared.has(domain));
  if (domains.length === 0) return [];
  return [
    `Declared with and without "www.": ${some(domains)}. A service that takes the two for one website refuses one of them; set "service.www" to settle it.`,
  ];
}

function isRename(changes: readonly Change[]): boolean {
  return changes.some((change) => change.action === 'create') && changes.some(isPrune);
}
