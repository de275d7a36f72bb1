/**
 * Reading back what was changed, record by record, where that takes fewer requests than the list
 * (decision: "Reads grow with the change").
 */
import { type Change, isSecretChange } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import { READABLE_NAMES } from '../../model/field-table.ts';
import type { Done } from '../../model/run.ts';
import { MOST_MATCH_PAGES, ServiceError, type WebsiteService } from '../../model/service.ts';
import type { Website } from '../../model/website.ts';

/** Whether reading back so many changes takes fewer requests than a list. */
export function isReadBack(changes: number, listRequests: number): boolean {
  return Math.max(1, changes) < listRequests;
}

/**
 * A 404 tells that a record is gone only on a service that has shown a record by itself. A run that only deletes reads
 * one for that while it is there.
 */
export async function seeOneAlone(changes: readonly Change[], service: WebsiteService): Promise<void> {
  const [first] = changes;
  if (first?.action !== 'delete' || changes.some(({ action }) => action === 'update')) return;
  try {
    if (service.traits.read.size === 0) await service.read(first.id);
  } catch (error) {
    // What is wrong stops the deletes, too; else the list verifies them.
    if (!(error instanceof ServiceError)) throw error;
  }
}

/**
 * The records that there are of a change that was carried out; `undefined` where only a list tells. Rejects with a
 * ServiceError.
 */
export async function readBack(done: Done, service: WebsiteService): Promise<readonly Website[] | undefined> {
  const { change, id } = done;
  if (change.action === 'create') return readCreated(change.domain, id, service);
  const website = await service.read(id);
  if (change.action === 'delete') {
    if (website !== undefined) return [website];
    return service.traits.read.size > 0 ? [] : undefined;
  }
  const { listed } = service.traits;
  const isHidden =
    website === undefined ||
    READABLE_NAMES.some((name) => {
      const field = change.fields[name];
      const isOurs = field === undefined ? name in change.before : !isSecretChange(field);
      return isOurs && listed.has(name) && website.settings[name] === undefined;
    });
  if (!isHidden) return [website];
  const row = await rowOf(change.domain, id, service);
  if (website === undefined) return row === undefined ? undefined : [row];
  return [{ ...row, ...website, settings: { ...row?.settings, ...website.settings } }];
}

/** A second copy is there under the same name. What a search does not find yet may be read by its ID. */
async function readCreated(
  domain: string,
  id: string,
  service: WebsiteService,
): Promise<readonly Website[] | undefined> {
  const { websites, proven } = await service.find(domain, MOST_MATCH_PAGES);
  if (!proven) return undefined;
  if (websites.some((website) => website.id === id)) return websites;
  const own = await service.read(id);
  return own !== undefined && isNamed(own, domain) ? [...websites, own] : websites;
}

async function rowOf(domain: string, id: string, service: WebsiteService): Promise<Website | undefined> {
  const { websites } = await service.find(domain, MOST_MATCH_PAGES);
  return websites.find((website) => website.id === id);
}
