import { type Change, sendsSecret } from '../model/change.ts';
import { type Warning, warn } from '../model/errors.ts';
import type { FieldName } from '../model/field-table.ts';
import { sharedIdsText } from '../model/identity.ts';
import type { PlanInput } from '../model/plan.ts';
import { isSecretRef } from '../model/secret.ts';
import type { Current } from '../model/website.ts';
import { groupBy } from '../util/group-by.ts';
import { count, joinShortened } from '../util/text.ts';
import type { Arranged } from './plan.ts';
import { keptWarnings } from './removed.ts';
import { idlePatterns } from './selection.ts';

/** `leftOut` is the number of changes that `rules.only` skips. */
export function warningsOf(
  input: PlanInput,
  { match, pairs, kept }: Arranged,
  changes: readonly Change[],
  leftOut: number,
): readonly Warning[] {
  const { desired, current, rules, context } = input;
  const declares = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => settings[name] !== undefined);
  const timed = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => typeof settings[name] === 'string');
  return [
    ...idlePatterns(input, match, context.earlier),
    ...incomplete(current),
    ...unreadableValues(current).map((text) => warn('value-unreadable', `Cannot compare ${text}.`)),
    ...current.hidden.filter(declares).map((name) => {
      const sent = 'It is sent only when another setting of the website changes.';
      return warn(
        'setting-never-returned',
        `The service never returns ${name}, so it cannot be compared. ${sent}`,
      );
    }),
    ...current.presenceOnly.filter(timed).map((name) => {
      const message = `The service returns ${name} as a boolean only, so its time is not compared.`;
      return warn('time-never-returned', message);
    }),
    ...match.duplicates.map(({ domain, ids }) => {
      const message = `Several records have the domain ${domain}: #${ids.join(', #')}. None of them is deleted.`;
      return warn('domain-in-several-records', message);
    }),
    ...notCompared(pairs, changes),
    ...keptWarnings(rules, context.removals, kept, match),
    ...(leftOut === 0
      ? []
      : [warn('changes-skipped', `Skipped ${count(leftOut, 'change')} (--only ${rules.only}).`)]),
  ];
}

function incomplete({ complete, reason, sharedIds }: Current): readonly Warning[] {
  if (complete) return [];
  if (sharedIds?.length) {
    const message = `The service shows ${sharedIdsText(sharedIds)}. These domains were not compared, and orphans are not known.`;
    return [warn('id-of-several-domains', message)];
  }
  const why = reason === undefined ? '' : ` (${reason})`;
  const what = `The service may not have returned all of its records${why}.`;
  return [warn('list-unconfirmed', `${what} Each declared domain was looked up. Orphans are not known.`)];
}

function notCompared(pairs: Arranged['pairs'], changes: readonly Change[]): readonly Warning[] {
  const sent = new Set(changes.filter(sendsSecret).map(({ domain }) => domain));
  const { length } = pairs.filter(
    ({ desired: { domain, settings }, website }) =>
      website !== undefined && isSecretRef(settings.password) && !sent.has(domain),
  );
  if (length === 0) return [];
  const what = `The service never returns passwords, so ${count(length, 'declared password')} could not be compared.`;
  const how = 'To send a changed password, run "websites apply --resend-passwords --domain DOMAIN".';
  return [warn('password-not-compared', `${what} ${how}`)];
}

/** Returns one text per setting and value: `favorited_at of a.example: the service returned an object (…)`. */
export function unreadableValues({
  websites,
  unnamed = [],
}: Pick<Current, 'websites' | 'unnamed'>): string[] {
  const some = [...websites, ...unnamed].filter(({ unreadable }) => unreadable);
  const found = some.flatMap(({ domain, id, unreadable = {} }) =>
    Object.entries(unreadable).map((value) => ({ value, record: domain === '' ? `record #${id}` : domain })),
  );
  return groupBy(found, ({ value }) => value.join()).map(([, alike]) => {
    const [name, holds] = alike[0].value;
    return `${name} of ${joinShortened(alike.map(({ record }) => record))}: the service returned ${holds}`;
  });
}
