/** Records that an earlier run has created, and that somebody has taken away since. */
import { isNamed } from '../../model/domain.ts';
import type { Done } from '../../model/run.ts';
import type { WebsiteService } from '../../model/service.ts';
import type { WwwRule } from '../../model/website.ts';
import { workThrough } from '../worker-pool.ts';
import type { CheckOptions } from './staleness.ts';

/**
 * The domains of those that are not there, looked for in whichever way takes fewer requests: deletes may be the other
 * half of a rename whose first half is gone. Throws what the service throws.
 */
export async function missingCreatesOf(
  created: readonly Done[],
  { service, clock, parallelism, signal, listRequests }: Omit<CheckOptions, 'begun'>,
  www?: WwwRule,
): Promise<readonly string[]> {
  const listing = created.length > listRequests ? await service.list() : undefined;
  const byId = new Map(listing?.websites.map((website) => [website.id, website]));
  const vanished: string[] = [];
  const look = async ({ change: { domain }, id }: Done): Promise<undefined> => {
    const listed = byId.get(id);
    if (listed !== undefined && isNamed(listed, domain, www)) return;
    const isThere = listing?.complete ? false : await shows(service, id, domain, www);
    if (!isThere) vanished.push(domain);
  };
  await workThrough(created, look, { width: parallelism, mostAside: parallelism, clock, halt: signal });
  return vanished;
}

/** Not every service shows a record by itself. */
async function shows(
  service: WebsiteService,
  id: string,
  domain: string,
  www: WwwRule | undefined,
): Promise<boolean> {
  const website = await service.read(id);
  if (website !== undefined) return isNamed(website, domain, www);
  const { websites } = await service.find(domain);
  return websites.some((one) => isNamed(one, domain, www));
}
