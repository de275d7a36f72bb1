/** Carrying out one delete. */
import type { Delete } from '../../model/change.ts';
import { ServiceError } from '../../model/service.ts';
import { changedSince } from '../checks/staleness.ts';
import type { BaseReader } from './base-values.ts';
import { confirmByReading } from './confirm-by-reading.ts';
import type { ExecutionContext } from './context.ts';
import { type ChangeOutcome, notCarriedOut, outcomeOfError } from './outcome.ts';

/**
 * Deletes the record, unless what the plan read is old, and others have changed it since; where the outcome stays
 * unknown, reads it to tell.
 */
export async function executeDelete(
  change: Delete,
  base: BaseReader,
  context: ExecutionContext,
): Promise<ChangeOutcome> {
  const { id, domain } = change;
  const later = base.laterOf(change);
  const refusal = later === undefined ? undefined : await whyNot(change, later);
  if (refusal !== undefined) return refusal;
  try {
    await context.service.remove(id, domain);
    return { fate: 'done', id };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const gone: ChangeOutcome = { fate: 'done', id, note: 'its answer was lost; the record is gone' };
    return (
      outcomeOfError(error) ??
      confirmByReading(change, error, context, (website) => (website === undefined ? gone : undefined))
    );
  }
}

/** Why a record is not to be deleted that shows `later` what it did not when the plan was made, if it does. */
async function whyNot(
  change: Delete,
  later: NonNullable<ReturnType<BaseReader['laterOf']>>,
): Promise<ChangeOutcome | undefined> {
  try {
    const settings = await later;
    const message = settings === 'vanished' ? undefined : changedSince(change, settings);
    if (message === undefined) return undefined;
    const details = { outcome: 'refused', blame: 'record', attempts: 0, remedy: 'Plan again.' } as const;
    return { fate: 'failed', error: new ServiceError('service-failed', message, details) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notCarriedOut(error);
  }
}
