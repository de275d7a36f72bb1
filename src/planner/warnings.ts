import { type Change, sendsSecret } from '../model/change.ts';
import type { Warning, WarningCode } from '../model/errors.ts';
import type { UnreadableValue, WarningFact } from '../model/facts.ts';
import type { FieldName } from '../model/field-table.ts';
import { sharedIdsText } from '../model/identity.ts';
import type { PlanContext, PlanInput } from '../model/plan.ts';
import { isSecretRef } from '../model/secret.ts';
import type { Current } from '../model/website.ts';
import { groupBy } from '../util/group-by.ts';
import type { Arranged } from './plan.ts';
import { keptWarnings } from './removed.ts';
import { idlePatterns } from './selection.ts';

export function warningOf(fact: WarningFact, { factText }: Pick<PlanContext, 'factText'>): Warning {
  return { code: fact.code.replace(/\/.*/, '') as WarningCode, message: factText(fact) };
}

/** `leftOut` is the number of changes that `rules.only` skips. */
export function warningsOf(
  input: PlanInput,
  { match, pairs, kept }: Arranged,
  changes: readonly Change[],
  leftOut: number,
): readonly WarningFact[] {
  const { desired, current, rules, context } = input;
  const declares = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => settings[name] !== undefined);
  const timed = (name: FieldName): boolean =>
    desired.websites.some(({ settings }) => typeof settings[name] === 'string');
  const { hidden, presenceOnly } = current;
  return [
    ...idlePatterns(input, match, context.earlier),
    ...incomplete(current),
    ...unreadableValues(current).map((value) => ({ code: 'value-unreadable', ...value }) as const),
    ...hidden.filter(declares).map((field) => ({ code: 'setting-never-returned', field }) as const),
    ...presenceOnly.filter(timed).map((field) => ({ code: 'time-never-returned', field }) as const),
    ...match.duplicates.map((found) => ({ code: 'domain-in-several-records', ...found }) as const),
    ...notCompared(pairs, changes),
    ...keptWarnings(rules, context.removals, kept, match),
    ...(leftOut === 0 ? [] : [{ code: 'changes-skipped', count: leftOut, only: rules.only } as const]),
  ];
}

function incomplete({ complete, reason, sharedIds }: Current): readonly WarningFact[] {
  if (complete) return [];
  if (sharedIds?.length) return [{ code: 'id-of-several-domains', shared: sharedIdsText(sharedIds) }];
  return [{ code: 'list-unconfirmed', reason }];
}

function notCompared(pairs: Arranged['pairs'], changes: readonly Change[]): readonly WarningFact[] {
  const sent = new Set(changes.filter(sendsSecret).map(({ domain }) => domain));
  const { length: count } = pairs.filter(
    ({ desired: { domain, settings }, website }) =>
      website !== undefined && isSecretRef(settings.password) && !sent.has(domain),
  );
  return count === 0 ? [] : [{ code: 'password-not-compared', count }];
}

/** Returns the values that cannot be parsed, each once, with its records. */
export function unreadableValues({
  websites,
  unnamed = [],
}: Pick<Current, 'websites' | 'unnamed'>): readonly UnreadableValue[] {
  const some = [...websites, ...unnamed].filter(({ unreadable }) => unreadable);
  const found = some.flatMap(({ domain, id, unreadable = {} }) =>
    Object.entries(unreadable).map((value) => ({ value, record: domain === '' ? `record #${id}` : domain })),
  );
  return groupBy(found, ({ value }) => value.join()).map(([, alike]) => {
    const [field, holds] = alike[0].value;
    return { field, holds, records: alike.map(({ record }) => record) };
  });
}
