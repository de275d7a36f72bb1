/** Carrying out one delete. */
import type { Delete } from '../core/change.ts';
import { ServiceError } from '../core/service.ts';
import { settleByReading } from './settle.ts';
import { type Carrier, type Verdict, verdictOf } from './verdict.ts';

/** Deletes the record; where the outcome stays unknown, reads it to tell. */
export async function carryOutDelete({ id, domain }: Delete, { service }: Carrier): Promise<Verdict> {
  try {
    await service.remove(id, domain);
    return { fate: 'done', id };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const gone: Verdict = { fate: 'done', id, note: 'its answer was lost; the record is gone' };
    return (
      verdictOf(error) ??
      settleByReading(id, error, service, (website) => (website === undefined ? gone : undefined))
    );
  }
}
