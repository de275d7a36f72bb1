/** Carrying out one delete. */
import type { Delete } from '../core/change.ts';
import { ServiceError } from '../core/service.ts';
import type { BaseReader } from './base.ts';
import { changedSince } from './check.ts';
import { settleByReading } from './settle.ts';
import { type Carrier, type Verdict, verdictOf } from './verdict.ts';

/**
 * Deletes the record, unless what the plan read is old, and others have changed it since; where the outcome stays
 * unknown, reads it to tell.
 */
export async function carryOutDelete(
  change: Delete,
  base: BaseReader,
  { service }: Carrier,
): Promise<Verdict> {
  const { id, domain } = change;
  const refusal = await whyNot(change, base);
  if (refusal !== undefined) return refusal;
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

/** Why a record is not to be deleted that was read too long ago to go by; `undefined` where it is. */
async function whyNot(change: Delete, base: BaseReader): Promise<Verdict | undefined> {
  try {
    const settings = await base.laterOf(change);
    const message =
      settings === undefined || settings === 'vanished' ? undefined : changedSince(change, settings);
    if (message === undefined) return undefined;
    const details = { outcome: 'refused', blame: 'record', attempts: 0, remedy: 'Plan again.' } as const;
    return { fate: 'failed', error: new ServiceError('service-failed', message, details) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.code === 'interrupted' ? { fate: 'withdrawn', error } : { fate: 'failed', error };
  }
}
