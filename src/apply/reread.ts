/** The record of a change, looked at once more. */
import type { Change, Create } from '../core/change.ts';
import { FIELDS, type FieldName, type Settings } from '../core/fields.ts';
import type { Value } from '../core/kinds.ts';
import type { WebsiteService } from '../core/service.ts';
import type { Website } from '../core/website.ts';

/**
 * What the record shows by itself. Where that is less than the plan found, a list may show the rest: `row` is
 * what one does, else the record is looked up. What neither shows any more has been emptied. `undefined` where
 * the record is gone; rejects with a ServiceError.
 */
export async function reread(
  service: WebsiteService,
  { id, domain, before }: Exclude<Change, Create>,
  row?: Settings,
): Promise<Website | undefined> {
  const website = await service.read(id);
  if (website === undefined) return undefined;
  const emptied = emptyValues(before, website.settings);
  if (Object.keys(emptied).length === 0) return website;
  const listed = row ?? (await service.find(domain)).websites.find((one) => one.id === id)?.settings;
  if (listed === undefined) return website;
  return { ...website, settings: { ...emptied, ...listed, ...website.settings } };
}

/**
 * A record that was found where one is to be created, with what a list hides of `names`; what others show, and this
 * one does not, is empty. `undefined` where it is not to be read; rejects with a ServiceError.
 */
export async function readFound(
  service: WebsiteService,
  found: Website,
  names: readonly FieldName[],
): Promise<Website | undefined> {
  if (names.every((name) => name in found.settings)) return found;
  const website = await service.read(found.id);
  if (website === undefined) return undefined;
  const settings: { [Name in FieldName]?: Value } = { ...found.settings, ...website.settings };
  const { listed, read } = service.traits;
  for (const name of names) {
    const { empty } = FIELDS[name].kind;
    const isShown = listed.has(name) || read.has(name);
    if (isShown && settings[name] === undefined && empty !== undefined) settings[name] = empty;
  }
  return { ...found, ...website, settings };
}

/** The empty value of each field that held something before, and is not shown now. */
function emptyValues(before: Settings, now: Settings): Settings {
  const values: { [Name in FieldName]?: Value } = {};
  for (const [key, was] of Object.entries(before)) {
    const name = key as FieldName;
    const { empty, equal } = FIELDS[name].kind;
    if (now[name] === undefined && empty !== undefined && !equal(was, empty)) values[name] = empty;
  }
  return values;
}
