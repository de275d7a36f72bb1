/** The service as a run may use it: who lost the lock stops before the next write (design, Settled J). */
import { WebsitesError } from '../core/errors.ts';
import { ServiceError, type WebsiteService } from '../core/service.ts';
import type { Lock } from './lock.ts';

/** Writes of the service returned throw a ServiceError `lock-lost`, and send nothing, once the lock is lost. */
export function underLock(service: WebsiteService, lock: Lock): WebsiteService {
  async function assertHeld(): Promise<void> {
    try {
      await lock.assertHeld();
    } catch (error) {
      if (!(error instanceof WebsitesError)) throw error;
      const { code, message, remedy } = error;
      const details = { outcome: 'refused', blame: 'service', attempts: 0 } as const;
      throw new ServiceError(code, message, { ...details, ...(remedy === undefined ? {} : { remedy }) });
    }
  }

  return {
    list: () => service.list(),
    find: (domain) => service.find(domain),
    read: (id) => service.read(id),
    async create(domain, values) {
      await assertHeld();
      return service.create(domain, values);
    },
    async update(id, domain, values) {
      await assertHeld();
      return service.update(id, domain, values);
    },
    async remove(id, domain) {
      await assertHeld();
      return service.remove(id, domain);
    },
    get traits() {
      return service.traits;
    },
  };
}
