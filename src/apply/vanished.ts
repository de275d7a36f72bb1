/** Records that an earlier run has created, and that somebody has taken away since. */
import { domainKey, wwwTwin } from '../core/domain.ts';
import type { Done } from '../core/run.ts';
import type { Website } from '../core/website.ts';
import type { CheckOptions } from './check.ts';
import { workThrough } from './schedule.ts';

/**
 * The domains of those that are not there, looked for in whichever way takes fewer requests: deletes may be the other
 * half of a rename whose first half is gone. Throws what the service throws.
 */
export async function vanishedOf(
  created: readonly Done[],
  { service, clock, parallelism, signal, listRequests }: Omit<CheckOptions, 'begun'>,
): Promise<readonly string[]> {
  const listing = created.length > listRequests ? await service.list() : undefined;
  const byId = new Map(listing?.websites.map((website) => [website.id, website]));
  const vanished: string[] = [];
  const look = async ({ change: { domain }, id }: Done): Promise<undefined> => {
    const website = byId.get(id) ?? (listing?.complete ? undefined : await service.read(id));
    if (!isNamed(website, domain)) vanished.push(domain);
  };
  await workThrough(created, look, { width: parallelism, mostAside: parallelism, clock, halt: signal });
  return vanished;
}

/** The service may leave a leading `www.` out. */
function isNamed(website: Website | undefined, domain: string): boolean {
  const name = domainKey(website?.domain ?? '');
  return name === domain || name === wwwTwin(domain);
}
