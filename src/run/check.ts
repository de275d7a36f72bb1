/** Compares the records with the plan before anything is sent (decision: "A saved plan is applied as approved"). */

import { type Change, type Create, hasSecret, isSecretChange, sendsSecret } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Difference, Shows, Stale } from '../model/run.ts';
import { isNamed, type Names } from '../planner/match.ts';
import type { RunContext } from './context.ts';
import type { IndexedChange } from './file/write.ts';
import { lookAt, type Sight, showsAfter, type WantedFields } from './readings.ts';

export type Check = Awaited<ReturnType<typeof checkChanges>>;

/** Reads the records of all changes, unless `mayRely` allows to skip that for a new plan. */
export async function checkChanges(run: RunContext, mayRely: boolean) {
  const { plan, clock, signal, sentBefore = new Set() } = run;
  const done = new Map<number, string | undefined>();
  const stale = new Map<number, Stale>();
  const shown = new Map<string, Settings>();
  if (mayRely) return { done, stale, shown, readAt: Date.parse(plan.read_at) };
  const readAt = clock.now();
  const items = plan.changes.map((change, index) => ({ change, index }));
  const sights = await lookAt(items, { run, names: plan.options, wanted: wantedOf, signal });
  if (signal.aborted) throw new WebsitesError('interrupted', 'Interrupted before anything was sent.');
  for (const [{ change, index }, sight] of sights) {
    const { website } = sight;
    if (website !== undefined) shown.set(website.id, website.settings);
    const isSentBefore = sentBefore.has(index);
    // A password is never shown: a change with one counts as done only if an earlier run began it.
    const isOwn = isSentBefore || change.action === 'delete' || !hasSecret(change.fields);
    const why = whyStale(change, sight, plan.options, isSentBefore);
    if (why?.code !== 'renamed' && isOwn && showsAfter(change, website)) done.set(index, website?.id);
    else if (why !== undefined) stale.set(index, why);
  }
  return { done, stale, shown, readAt };
}

/** An existing record counts as created by this plan only if it shows all declared values. */
function wantedOf({ change }: IndexedChange): WantedFields {
  if (change.action === 'create') return { needs: (name) => name in change.fields };
  return { before: change.before, password_set: passwordSetOf(change), needs: () => true };
}

function whyStale(change: Change, sight: Sight, names: Names, isSentBefore: boolean): Stale | undefined {
  const { domain } = change;
  const { website, isCertain } = sight;
  if (change.action === 'create') {
    if (website !== undefined) return { code: 'exists', domain, id: website.id };
    return isCertain ? undefined : { code: 'unknown', domain };
  }
  const { id } = change;
  if (website === undefined) return { code: 'vanished', domain, id };
  // A service that was installed again starts its IDs from 1, so an ID may belong to another website.
  if (!isNamed(website, domain, names))
    return { code: 'renamed', domain, id, name: domainKey(website.domain) };
  return changedSince(change, website, isSentBefore);
}

/**
 * A value that the plan could not read counts as a difference, unless it is empty (delete) or as declared.
 * After an earlier run began an update, a set password is no difference: that run may have set it.
 */
export function changedSince(
  change: Exclude<Change, Create>,
  { settings: now, passwordSet }: Shows,
  isSentBefore = false,
): Stale | undefined {
  const { domain, id, before } = change;
  const wasSet = isSentBefore && change.action === 'update' ? undefined : passwordSetOf(change);
  const differences = READABLE_NAMES.flatMap((field): Difference[] => {
    const [was, is] = [field in before ? before[field] : supposed(change, field), now[field]];
    if (was === undefined || is === undefined || FIELDS[field].kind.equal(was, is)) return [];
    return [{ field, before: before[field], after: is }];
  });
  if (wasSet !== undefined && passwordSet !== undefined && wasSet !== passwordSet) {
    differences.push({ field: 'password', before: wasSet, after: passwordSet });
  }
  return differences.length === 0 ? undefined : { code: 'changed', domain, id, differences };
}

function passwordSetOf(change: Exclude<Change, Create>): boolean | undefined {
  return change.action === 'delete' || sendsSecret(change) ? change.password_set : undefined;
}

function supposed(change: Exclude<Change, Create>, name: FieldName): Value | undefined {
  if (change.action === 'delete') return FIELDS[name].kind.empty;
  const field = change.alongside[name];
  return field === undefined || isSecretChange(field) ? undefined : field.after;
}
