/** What a reader of a plan should know, and what no guard needs to stop. */
import type { Change } from '../model/change.ts';
import type { FieldName } from '../model/field-table.ts';
import { sharedIdsText } from '../model/identity.ts';
import type { Warning } from '../model/warning.ts';
import type { Current, Desired } from '../model/website.ts';
import { some } from '../util/text.ts';
import type { Match } from './match.ts';
import { renamesIn } from './renames.ts';
import { unreadableValues } from './unreadable.ts';

export function warningsOf(
  desired: Desired,
  current: Current,
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
  const pairs = renamesIn(changes).map(({ from, to }) => `${from} → ${to}`);
  if (pairs.length === 0) return [];
  return [
    {
      code: 'rename-suspected',
      message: `Looks like a rename: ${some(pairs)}. A domain cannot be renamed: the data of the old record will be lost.`,
    },
  ];
}
