/** Reading all that there is, for whoever writes it down. */
import { readCurrent, type Wanted } from '../client/read-current.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { type FieldName, PRIVACY, READABLE_NAMES } from '../model/field-table.ts';
import { scopeFlags } from '../model/next-command.ts';
import type { Listing } from '../model/service.ts';
import type { Current } from '../model/website.ts';
import type { Connection } from './connect.ts';

/** The fields that are, or would be, declared for the record of a domain. */
export type DeclaredFor = (domain: string) => readonly FieldName[];

/**
 * Every record with every field that the service shows anywhere, and with those of `declaredFor` as a plan would have
 * them: what a record leaves out of those may be empty. Throws `list-incomplete`.
 */
export async function readAll(
  connection: Connection,
  allowIncomplete: boolean,
  declaredFor: DeclaredFor = () => [],
): Promise<Current> {
  const { service, parallelism, onRead, where } = connection;
  const refuse = ({ complete, reason }: Pick<Current, 'complete' | 'reason'>): void => {
    if (complete || allowIncomplete) return;
    throw new WebsitesError(
      'list-incomplete',
      `The service may not have returned all of its records: ${reason}.`,
      {
        remedy: `See "websites doctor${scopeFlags({ service: connection }, where)}" to see why. --allow-incomplete exports the list as it is.`,
      },
    );
  };
  const listing = await service.list();
  refuse(listing);
  const hidden = READABLE_NAMES.filter((name) => !service.traits.listed.has(name));
  const wanted = wantedOf(listing, hidden, declaredFor);
  // With the list at hand, this reads no more than is wanted, and of passwords what the list hides.
  const listed = { ...service, list: () => Promise.resolve(listing) };
  const current = await readCurrent(listed, wanted, { parallelism, onRead });
  refuse(current);
  return current;
}

function* wantedOf(
  { websites }: Listing,
  hidden: readonly FieldName[],
  declaredFor: DeclaredFor,
): Generator<Wanted> {
  const locked: readonly FieldName[] = [...hidden, 'password'];
  for (const website of websites) {
    const domain = domainKey(website.domain);
    const own = website.settings.privacy === PRIVACY.password ? locked : hidden;
    const declared = declaredFor(domain);
    // One list for all records of which nothing is declared: there may be very many.
    yield { domain, fields: declared.length === 0 ? own : [...new Set([...own, ...declared])] };
  }
}
