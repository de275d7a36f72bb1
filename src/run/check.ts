/** Compares the records with the plan before anything is sent (decision: "A saved plan is applied as approved"). */

import { type Change, type Create, hasSecret, isSecretChange, sendsSecret } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { Shows } from '../model/run.ts';
import { isNamed } from '../planner/match.ts';
import type { Run } from './change.ts';
import type { IndexedChange } from './file/write.ts';
import { lookAt, type Sight, showsAfter, type WantedFields } from './records.ts';

export type Check = Awaited<ReturnType<typeof checkChanges>>;

export async function checkChanges(run: Run) {
  const { plan, clock, signal, begun = new Set() } = run;
  const done = new Map<number, string | undefined>();
  const stale = new Map<number, string>();
  const shown = new Map<string, Settings>();
  const readAt = clock.now();
  const items = plan.changes.map((change, index) => ({ change, index }));
  const sights = await lookAt(items, { run, names: plan.options, wanted: wantedOf, signal });
  if (signal.aborted) throw new WebsitesError('interrupted', 'Interrupted before anything was sent.');
  for (const [{ change, index }, sight] of sights) {
    const { website } = sight;
    if (website !== undefined) shown.set(website.id, website.settings);
    const isBegun = begun.has(index);
    // A password is never shown: a change with one counts as done only if an earlier run began it.
    const isOwn = isBegun || change.action === 'delete' || !hasSecret(change.fields);
    // A service that was installed again starts its IDs from 1, so an ID may belong to another website.
    const isStranger =
      change.action !== 'create' && website && !isNamed(website, change.domain, plan.options);
    const message = isStranger
      ? `${change.domain} no longer exists: #${change.id} is now ${domainKey(website.domain)}.`
      : whyStale(change, sight, isBegun);
    if (!isStranger && isOwn && showsAfter(change, website)) done.set(index, website?.id);
    else if (message !== undefined) stale.set(index, message);
  }
  return { done, stale, shown, readAt };
}

/** An existing record counts as created by this plan only if it shows all declared values. */
function wantedOf({ change }: IndexedChange): WantedFields {
  if (change.action === 'create') return { names: READABLE_NAMES.filter((name) => name in change.fields) };
  return { before: change.before, password_set: passwordSetOf(change), names: READABLE_NAMES };
}

function whyStale(change: Change, { website, proven }: Sight, isBegun: boolean): string | undefined {
  const { domain } = change;
  if (change.action === 'create') {
    if (website !== undefined) return `${domain} already exists (#${website.id}).`;
    return proven ? undefined : `${domain}: it is not known if the service has a record.`;
  }
  if (website === undefined) return `${domain} no longer exists (#${change.id}).`;
  return changedSince(change, website, isBegun);
}

/**
 * A value that the plan could not read counts as a difference, unless it is empty (delete) or as declared.
 * After an earlier run began an update, a set password is no difference: that run may have set it.
 */
export function changedSince(
  change: Exclude<Change, Create>,
  { settings: now, passwordSet }: Shows,
  isBegun = false,
): string | undefined {
  const { domain, id, before } = change;
  const wasSet = isBegun && change.action === 'update' ? undefined : passwordSetOf(change);
  const differences = READABLE_NAMES.flatMap((name) => {
    const [was, is] = [name in before ? before[name] : supposed(change, name), now[name]];
    if (was === undefined || is === undefined || FIELDS[name].kind.equal(was, is)) return [];
    return [`${name} is ${show(name, is)} and was ${name in before ? show(name, was) : 'not shown'}`];
  });
  if (wasSet !== undefined && passwordSet !== undefined && wasSet !== passwordSet) {
    differences.push(wasSet ? 'password was set and is not set' : 'password is set and was not set');
  }
  return differences.length === 0 ? undefined : `${domain} (#${id}) was changed: ${differences.join('; ')}.`;
}

function passwordSetOf(change: Exclude<Change, Create>): boolean | undefined {
  return change.action === 'delete' || sendsSecret(change) ? change.password_set : undefined;
}

function supposed(change: Exclude<Change, Create>, name: FieldName): Value | undefined {
  if (change.action === 'delete') return FIELDS[name].kind.empty;
  const field = change.alongside[name];
  return field === undefined || isSecretChange(field) ? undefined : field.after;
}

function show(name: FieldName, value: Value): string {
  return [FIELDS[name].kind.show(value)].flat().join(', ') || 'empty';
}
