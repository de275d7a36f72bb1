/**
 * The service as a run may use it: nothing is written by an id that the service showed this run for another website, and
 * an answer in another website's name ends the run.
 */
import type { Change } from '../model/change.ts';
import { isNamed } from '../model/domain.ts';
import { startDisputes, strangerRefused, strangerWritten } from '../model/identity.ts';
import type { WebsiteService } from '../model/service.ts';
import type { Website, WwwRule } from '../model/website.ts';

/** `www` is the rule of the plan, which the writes returned throw a ServiceError `id-mismatch` by. */
export function underName(service: WebsiteService, www?: WwwRule): WebsiteService {
  /** As what each record was shown first. */
  const shown = new Map<string, Pick<Website, 'domain'>>();
  const disputes = startDisputes(() => www);

  function see({ id, domain }: Website): void {
    const isAgreed = disputes.agree(shown.get(id), { id, domain });
    if (isAgreed && !shown.has(id)) shown.set(id, { domain });
  }

  function refuseStranger(action: Exclude<Change['action'], 'create'>, id: string, domain: string): void {
    if (disputes.agree(shown.get(id), { id, domain })) return;
    const others = disputes.all().find((disputed) => disputed.id === id)?.domains ?? [];
    const other = others.find((name) => name !== domain) ?? domain;
    throw strangerRefused({ action, id, domain }, other);
  }

  return {
    async list() {
      const listing = await service.list();
      listing.websites.forEach(see);
      disputes.add(listing.disputed);
      return listing;
    },
    async find(domain) {
      const found = await service.find(domain);
      found.websites.forEach(see);
      disputes.add(found.disputed);
      return found;
    },
    async read(id) {
      const website = await service.read(id);
      if (website === undefined) shown.delete(id);
      else see(website);
      return website;
    },
    create: (domain, values, permit) => service.create(domain, values, permit),
    async update(id, domain, values, permit) {
      refuseStranger('update', id, domain);
      const website = await service.update(id, domain, values, permit);
      if (website === 'vanished' || isNamed(website, domain, www)) return website;
      see(website);
      throw strangerWritten({ action: 'update', id, domain }, website.domain);
    },
    async remove(id, domain, permit) {
      refuseStranger('delete', id, domain);
      await service.remove(id, domain, permit);
      // Some services give what is created later the ids of what was deleted.
      shown.delete(id);
    },
    get traits() {
      return service.traits;
    },
  };
}
