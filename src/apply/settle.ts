/** Settling a write of which it is not known whether it was carried out. */
import { ServiceError, type WebsiteService } from '../core/service.ts';
import type { Website } from '../core/website.ts';
import type { NotDone } from './verdict.ts';

/**
 * Reads the record that the write was for; `tell` says what that shows, `undefined` where it shows nothing.
 * Then, and when the reading fails too, `error`, the first failure, is what there is to report.
 */
export async function settleByReading<Told>(
  id: string,
  error: ServiceError,
  service: WebsiteService,
  tell: (website: Website | undefined) => Told | undefined,
): Promise<Told | NotDone> {
  try {
    return tell(await service.read(id)) ?? { fate: 'unknown', error };
  } catch (second) {
    if (!(second instanceof ServiceError)) throw second;
    return { fate: 'unknown', error: second.code === 'key-refused' ? second : error };
  }
}
