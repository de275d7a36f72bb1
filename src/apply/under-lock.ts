/** The service as a run may use it: who lost the lock stops before the next write (design, Settled J). */
import { WebsitesError } from '../core/errors.ts';
import { ServiceError, type WebsiteService } from '../core/service.ts';
import type { Lock } from './lock.ts';

/** Writes of the service returned throw a ServiceError `lock-lost`, and send nothing, once the lock is lost. */
export function underLock(service: WebsiteService, lock: Lock): WebsiteService {
  function write<T>(send: () => Promise<T>): Promise<T> {
    const look = lock.assertHeld();
    return look === undefined ? send() : look.catch(refuse).then(send);
  }

  return {
    list: () => service.list(),
    find: (domain) => service.find(domain),
    read: (id) => service.read(id),
    create: (domain, values) => write(() => service.create(domain, values)),
    update: (id, domain, values) => write(() => service.update(id, domain, values)),
    remove: (id, domain) => write(() => service.remove(id, domain)),
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
