/** Reading all that there is, for whoever writes it down. */
import { readCurrent } from '../api/current.ts';
import { domainKey } from '../core/domain.ts';
import { WebsitesError } from '../core/errors.ts';
import { type FieldName, PRIVACY, READABLE_NAMES } from '../core/fields.ts';
import { scopeFlags } from '../core/next-command.ts';
import type { Current } from '../core/website.ts';
import type { Connection } from './connect.ts';

/** Every record with every field that the service shows anywhere. Throws `list-incomplete`. */
export async function readAll(connection: Connection, allowIncomplete: boolean): Promise<Current> {
  const { service, parallelism, onRead, where } = connection;
  const listing = await service.list();
  if (!listing.complete && !allowIncomplete) {
    throw new WebsitesError(
      'list-incomplete',
      `The list of records is not proven complete: ${listing.reason}.`,
      {
        remedy: `See "websites doctor${scopeFlags({ service: connection }, where)}"; --allow-incomplete exports what was listed, which may lack records.`,
      },
    );
  }
  const fields = READABLE_NAMES.filter((name) => !service.traits.listed.has(name));
  const locked: readonly FieldName[] = [...fields, 'password'];
  const wanted = listing.websites.map(({ domain, settings }) => ({
    domain: domainKey(domain),
    fields: settings.privacy === PRIVACY.password ? locked : fields,
  }));
  // With the list at hand, this reads no more than what the list shows of no record, and of passwords what it hides.
  return readCurrent({ ...service, list: () => Promise.resolve(listing) }, wanted, parallelism, onRead);
}
