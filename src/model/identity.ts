/** Detects an ID that the service shows for two websites. Nothing is written with such an ID. */
import { joinShortened } from '../util/text.ts';
import { domainKey } from './domain.ts';
import { WebsitesError } from './errors.ts';
import { ServiceError } from './service.ts';
import type { SharedId, Website } from './website.ts';

export interface ById {
  readonly records: ReadonlyMap<string, Website>;
  /** Stores the record. Returns true if its ID is new. */
  add(website: Website): boolean;
  shared(): SharedId[];
}

export function startById(): ById {
  const records = new Map<string, Website>();
  const names = new Map<string, Set<string>>();
  return {
    records,
    add(website) {
      const known = records.get(website.id);
      if (known === undefined) {
        records.set(website.id, website);
        return true;
      }
      const domains = [known, website].map(({ domain }) => domainKey(domain));
      if (domains[0] !== domains[1]) {
        names.set(website.id, new Set([...(names.get(website.id) ?? []), ...domains]));
      }
      return false;
    },
    shared: () => [...names].map(([id, domains]) => ({ id, domains: [...domains] })),
  };
}

export function sharedIdsText(shared: readonly SharedId[]): string {
  return joinShortened(shared.map(({ id, domains }) => `#${id} for ${domains.join(' and ')}`));
}

export function refuseSharedIds(shared: readonly SharedId[] = []): void {
  if (shared.length === 0) return;
  throw new WebsitesError('id-mismatch', `The service shows ${sharedIdsText(shared)}.`, {
    remedy: 'Run again. If it happens again, check if the service, or a cache in front of it, mixes up IDs.',
  });
}

interface Meant {
  readonly action: 'update' | 'delete';
  readonly domain: string;
  readonly id: string;
}

/** Returns the error for a write that was not sent, because its ID was shown for another website. */
export function strangerRefused({ action, domain, id }: Meant, shown: string): ServiceError {
  const message = `Cannot ${action} ${domain}: the service shows #${id} as ${domainKey(shown)}.`;
  const remedy =
    'Plan again. If it happens again, check if the service, or a cache in front of it, mixes up IDs.';
  return new ServiceError('id-mismatch', message, {
    ...{ outcome: 'refused', blame: 'record', attempts: 0, remedy },
  });
}

/** Returns the error for a write that was sent, and whose response shows another website. */
export function strangerWritten({ action, domain, id }: Meant, shown: string): ServiceError {
  const other = domainKey(shown);
  const message = `Cannot verify the ${action} of ${domain}: the service then showed #${id} as ${other}.`;
  const remedy = `Check ${other} on the service, then plan again.`;
  return new ServiceError('id-mismatch', message, {
    ...{ outcome: 'ended', blame: 'record', attempts: 1, remedy },
  });
}
