/**
 * Blocks writes once the run lock is lost (decision: "One run at a time on one service"), and writes to an ID that
 * belongs to another website. A response for another website stops the run.
 */
import { domainKey } from '../model/domain.ts';
import { strangerRefused, strangerWritten } from '../model/identity.ts';
import type { Listing, Permit, WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { isNamed, type Names } from '../planner/match.ts';
import type { Lock } from './lock.ts';

/** Writes throw a ServiceError: `id-mismatch`, or `lock-lost` before anything is sent. */
export function checkedService(service: WebsiteService, lock: Lock, naming: Names): WebsiteService {
  const shown = new Map<string, readonly string[]>();

  const permitted = (permit?: Permit) => (): Promise<void> | undefined => permit?.() ?? lock.assertHeld();

  function see({ id, domain }: Pick<Website, 'id' | 'domain'>): void {
    const [name, known = []] = [domainKey(domain), shown.get(id)];
    if (!known.includes(name)) shown.set(id, [...known, name]);
  }

  function seeAll<T extends Pick<Listing, 'websites' | 'sharedIds'>>(found: T): T {
    found.websites.forEach(see);
    for (const { id, domains } of found.sharedIds) for (const domain of domains) see({ id, domain });
    return found;
  }

  function refuseStranger(action: 'update' | 'delete', id: string, domain: string): void {
    const other = shown.get(id)?.find((name) => !isNamed({ domain: name }, domain, naming));
    if (other !== undefined) throw strangerRefused({ action, id, domain }, other);
  }

  return {
    ...service,
    list: async () => seeAll(await service.list()),
    find: async (domain, mostPages) => seeAll(await service.find(domain, mostPages)),
    async read(id) {
      const website = await service.read(id);
      if (website === undefined) shown.delete(id);
      else see(website);
      return website;
    },
    async create(domain, values, permit) {
      const website = await service.create(domain, values, permitted(permit));
      see(website);
      return website;
    },
    async update(id, domain, values, permit) {
      refuseStranger('update', id, domain);
      const website = await service.update(id, domain, values, permitted(permit));
      if (website === 'vanished' || isNamed(website, domain, naming)) return website;
      see(website);
      throw strangerWritten({ action: 'update', id, domain }, website.domain);
    },
    async remove(id, domain, permit) {
      refuseStranger('delete', id, domain);
      await service.remove(id, domain, permitted(permit));
      // Some services reuse the IDs of deleted records.
      shown.delete(id);
    },
  };
}
