/** Putting back what an update has reset. */
import { isNamed } from '../../model/domain.ts';
import { FIELDS, type FieldName } from '../../model/field-table.ts';
import type { Effect } from '../../model/run.ts';
import { ServiceError } from '../../model/service.ts';
import type { Website } from '../../model/website.ts';
import { restoreForm } from '../../update/restore-form.ts';
import { changedBetween } from '../../update/side-effects.ts';
import type { Sighting } from '../../update/update-form.ts';
import type { ExecutionContext } from './context.ts';
import { reread } from './refetch.ts';
import type { InFlight, UpdateItem } from './updates.ts';

/** A record with settings that an update left out, and that are not as they were read before it. */
export interface Damaged {
  readonly item: UpdateItem;
  readonly before: Sighting;
  readonly after: Website;
  readonly reset: readonly FieldName[];
  /** A password cannot be read back, and so not be put back. */
  readonly lostPassword: boolean;
  /** Updates that were in flight when it was found. */
  readonly others: readonly InFlight[];
}

/** Puts back what an update reset, and what those beside it did. Nothing may be in flight. Throws only what is a bug. */
export async function repair(damaged: Damaged, context: ExecutionContext): Promise<void> {
  await restore(damaged, context);
  for (const other of damaged.others) {
    const found = await damageOf(other, damaged.reset, context);
    if (found !== undefined) await restore(found, context);
  }
}

/** What an update that was in flight has reset of the same settings. */
async function damageOf(
  { item, seen, leftOut }: InFlight,
  names: readonly FieldName[],
  { service, updates }: ExecutionContext,
): Promise<Damaged | undefined> {
  // It found that by itself.
  if (updates.mended.has(item.index)) return undefined;
  try {
    const after = await reread(service, { ...item.change, before: seen.settings });
    if (after === undefined || !isNamed(after, item.change.domain)) return undefined;
    const reset = names.filter((name) => leftOut.includes(name) && differs(name, seen, after));
    return reset.length === 0
      ? undefined
      : { item, before: seen, after, reset, lostPassword: false, others: [] };
  } catch (error) {
    // Verification compares it once more.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * One write of all that the service shows: what is declared as declared, what was reset as it was before, the rest as it
 * is now. It is read back once, and never sent again.
 */
async function restore(
  { item, before, after, reset, lostPassword }: Damaged,
  context: ExecutionContext,
): Promise<void> {
  const { service, updates, values } = context;
  const { change } = item;
  const effects = reset.map((field) => effectOf(item, field, before, after));
  updates.mended.add(item.index);
  if (lostPassword) {
    updates.sideEffects.push({ ...effectOf(item, 'password', before, after), before: true, after: false });
  }
  const subject = { ...change, before: before.settings };
  let isSent = false;
  try {
    const now = await reread(service, subject);
    const isThere = now !== undefined && isNamed(now, change.domain);
    const write = isThere
      ? restoreForm(change, before.settings, now.settings, reset, service.traits)
      : undefined;
    if (write === undefined) {
      updates.settled(item);
      updates.sideEffects.push(...effects);
      return;
    }
    if (!(await updates.restoring(item))) {
      updates.sideEffects.push(...effects);
      return;
    }
    isSent = true;
    await service.update(change.id, change.domain, values.ofUpdate(change, write.form, write.settings));
    const back = await reread(service, subject);
    const isBack = ({ field }: Effect): boolean => back !== undefined && !differs(field, before, back);
    updates.restored.push(...effects.filter(isBack));
    updates.sideEffects.push(...effects.filter((effect) => !isBack(effect)));
    // The write itself may have moved what it sent as it was.
    const moved = now && back ? changedBetween(change, now, back) : [];
    updates.sideEffects.push(...moved.filter(({ field }) => !reset.includes(field)));
    updates.settled(item);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // What was not sent, as after an interrupt, is owed: the next run puts it back.
    const isOwed = !isSent || error.code === 'interrupted' || error.code === 'lock-lost';
    if (isOwed) await updates.owe(item, before.settings, reset);
    else updates.settled(item);
    updates.sideEffects.push(...effects);
  }
}

function differs(name: FieldName, before: Sighting, { settings }: Website): boolean {
  const [was, is] = [before.settings[name], settings[name]];
  return was !== undefined && is !== undefined && !FIELDS[name].kind.equal(was, is);
}

function effectOf({ change }: UpdateItem, field: FieldName, before: Sighting, after: Website): Effect {
  const { domain, id } = change;
  return { domain, id, field, before: before.settings[field] ?? null, after: after.settings[field] ?? null };
}
