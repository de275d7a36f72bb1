/**
 * The service as a run may use it: who lost the lock stops before the next write
 * (decision: "One run at a time on one service").
 */

import type { Lock } from '../lock/lease.ts';
import { WebsitesError } from '../model/errors.ts';
import { type Permit, ServiceError, type WebsiteService } from '../model/service.ts';

/** Writes of the service returned throw a ServiceError `lock-lost`, and send nothing more, once the lock is lost. */
export function underLock(service: WebsiteService, lock: Lock): WebsiteService {
  const permit: Permit = () => lock.assertHeld()?.catch(refuse);
  return {
    list: () => service.list(),
    find: (domain) => service.find(domain),
    read: (id) => service.read(id),
    create: (domain, values) => service.create(domain, values, permit),
    update: (id, domain, values) => service.update(id, domain, values, permit),
    remove: (id, domain) => service.remove(id, domain, permit),
    get traits() {
      return service.traits;
    },
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof WebsitesError)) throw error;
  const { code, message, remedy } = error;
  throw new ServiceError(code, message, { outcome: 'refused', blame: 'service', attempts: 0, remedy });
}
