/** Settling a write of which it is not known whether it was carried out. */
import type { Delete, Update } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import { strangerWritten } from '../../model/identity.ts';
import { ServiceError } from '../../model/service.ts';
import type { Website } from '../../model/website.ts';
import type { ExecutionContext } from './context.ts';
import type { NotDone } from './outcome.ts';

/**
 * Reads the record that the write was for; `tell` says what that shows, `undefined` where it shows nothing. Where the id
 * is another website's, a record that was to be deleted is gone, and an update may have changed that other one.
 * Then, and when the reading fails too, `error`, the first failure, is what there is to report.
 */
export async function confirmByReading<Told>(
  change: Update | Delete,
  error: ServiceError,
  { service, www }: Pick<ExecutionContext, 'service' | 'www'>,
  tell: (website: Website | undefined) => Told | undefined,
): Promise<Told | NotDone> {
  try {
    const website = await service.read(change.id);
    const isStranger = website !== undefined && !isNamed(website, change.domain, www());
    if (isStranger && change.action === 'update') {
      return { fate: 'unknown', error: strangerWritten(change, website.domain) };
    }
    return tell(isStranger ? undefined : website) ?? { fate: 'unknown', error };
  } catch (second) {
    if (!(second instanceof ServiceError)) throw second;
    return { fate: 'unknown', error: second.code === 'key-refused' ? second : error };
  }
}
