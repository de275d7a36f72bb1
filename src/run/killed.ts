/** What a run that was killed may have changed beside its own: it did not come to comparing, or to putting back. */
import { allFields } from '../model/change.ts';
import type { FieldName } from '../model/field-table.ts';
import type { Effect } from '../model/run.ts';
import type { WebsiteService } from '../model/service.ts';
import { changedBetween } from '../planner/side-effects.ts';
import { readingOf } from '../planner/update-form.ts';
import { isOf } from './change.ts';
import { mayBeSent, type RecordedRun } from './file/read.ts';
import { reread, showsAfter } from './reading.ts';

/**
 * Reads the record of each update that has no end. Where it shows the update, each setting that the update was not to
 * change, and that differs from what the record showed before, is an effect. Throws what the service throws.
 */
export async function effectsOfKilled(
  recorded: RecordedRun,
  service: WebsiteService,
): Promise<readonly Effect[]> {
  const { plan, begun } = recorded;
  const effects: Effect[] = [];
  for (const index of mayBeSent(recorded)) {
    const [change, before] = [plan.changes[index], begun.get(index)];
    if (change?.action !== 'update' || before === undefined) continue;
    const website = await reread(service, { ...change, before: before.settings });
    const isShown = website !== undefined && isOf(change, website, plan.options.www);
    if (!isShown || showsAfter(change, website) === false) continue;
    const kept = plan.options.update === 'changed' ? [] : (change.kept ?? []);
    const declared = [...(Object.keys(allFields(change)) as FieldName[]), ...kept];
    effects.push(...changedBetween(change, declared, before, readingOf(website)));
  }
  return effects;
}
