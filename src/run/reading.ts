/** The record of a change, looked at once more, and what it shows of the change. */
import { allFields, type Change, type Create, isSecretChange, type Update } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { FIELDS, type FieldName, READABLE_NAMES, type Settings, withEmpty } from '../model/field-table.ts';
import { strangerRefused } from '../model/identity.ts';
import type { Effect } from '../model/run.ts';
import type { WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { desiredOf } from '../planner/desired-of-plan.ts';
import { compareWebsite } from '../planner/diff.ts';
import { isNamed, type Names } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import { readingOf } from '../planner/update-form.ts';
import { mayBeSent, type RecordedRun } from './file/read.ts';

/**
 * What the record shows by itself. Where that is less than was shown `before`, and than other records show, a list may show
 * the rest: `row` is what one does, else the record is looked up. What is not shown any more has been emptied. `undefined`
 * where the record is gone; rejects with a ServiceError.
 */
export async function reread(
  service: WebsiteService,
  { id, domain, before }: Exclude<Change, Create>,
  row?: Settings,
): Promise<Website | undefined> {
  const website = (await service.read(id)) ?? (await findRow(service, id, domain));
  if (website === undefined) return undefined;
  const missing = missingFields(before, website.settings);
  // What other single records show, this one leaves out because it is empty.
  const isSeen = missing.every((name) => service.traits.read.has(name));
  const listed = isSeen ? {} : (row ?? (await findRow(service, id, domain))?.settings);
  if (listed === undefined) return website;
  return { ...website, settings: withEmpty({ ...listed, ...website.settings }, missing) };
}

/** What a look-up shows of a record; not every service shows one by itself. */
async function findRow(service: WebsiteService, id: string, domain: string): Promise<Website | undefined> {
  return (await service.find(domain)).websites.find((one) => one.id === id);
}

/**
 * A record that was found where one is to be created, with what a list hides of `names`; what others show, and this
 * one does not, is empty. `undefined` where it is not to be read; rejects with a ServiceError.
 */
export async function readFound(
  service: WebsiteService,
  found: Website,
  names: readonly FieldName[],
  naming?: Names,
): Promise<Website | undefined> {
  if (names.every((name) => name in found.settings)) return found;
  const website = await service.read(found.id);
  if (website === undefined) return undefined;
  const { id, domain } = found;
  const name = domainKey(domain);
  if (!isNamed(website, name, naming))
    throw strangerRefused({ action: 'update', id, domain: name }, website.domain);
  const { listed, read } = service.traits;
  const shown = names.filter((name) => listed.has(name) || read.has(name));
  return { ...found, ...website, settings: withEmpty({ ...found.settings, ...website.settings }, shown) };
}

/** The fields that held something before, and are not shown now. */
function missingFields(before: Settings, now: Settings): FieldName[] {
  return READABLE_NAMES.filter((name) => {
    const { empty, equal } = FIELDS[name].kind;
    const was = before[name];
    return was !== undefined && now[name] === undefined && (empty === undefined || !equal(was, empty));
  });
}

/**
 * Whether all that can be seen is as the change makes it; `undefined` where nothing can be seen, since the change is of
 * a secret alone. `shown` is what is there by its id, if anything is: another website is as good as none.
 */
export function showsAfter(change: Change, shown: Website | undefined): boolean | undefined {
  const website = shown && isNamed(shown, change.domain) ? shown : undefined;
  if (change.action === 'delete') return website === undefined;
  if (website === undefined) return false;
  if (change.action === 'create') {
    return Object.keys(compareWebsite(desiredOf(change), website, false).fields).length === 0;
  }
  const visible = changesShown(change, website.settings);
  return visible.length === 0 ? undefined : visible.every(Boolean);
}

/** For each change of a field that can be seen, whether it is. */
export function changesShown({ fields }: Update, settings: Settings): readonly boolean[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (isSecretChange(field)) return [];
    const shown = settings[name as FieldName];
    return shown !== undefined && FIELDS[name as FieldName].kind.equal(field.after, shown);
  });
}

/**
 * Finds what a run that was killed may have changed beside its own: it did not come to comparing, or to putting back.
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
    const isShown = website !== undefined && isNamed(website, change.domain, plan.options);
    if (!isShown || showsAfter(change, website) === false) continue;
    const kept = plan.options.update === 'changed' ? [] : (change.kept ?? []);
    const declared = [...(Object.keys(allFields(change)) as FieldName[]), ...kept];
    effects.push(...changedBetween(change, declared, before, readingOf(website)));
  }
  return effects;
}
