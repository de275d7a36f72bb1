/** Why an update was not carried out. */
import type { Update } from '../../model/change.ts';
import { PRIVACY } from '../../model/field-table.ts';
import { ServiceError, type WriteValues } from '../../model/service.ts';
import type { UpdateForm } from '../../update/update-form.ts';
import type { NotDone } from './outcome.ts';

const DECLARE_BOTH =
  'Declare privacy and password of this website, or set "service.update" to "changed" in the file.';

const DECLARE_OR_OMIT =
  'Declare that setting, fix it on the service, or set "service.update" to "changed" in the file.';

/** Nothing may be sent, since something that is not declared could be lost with it. */
export function endangered(
  { domain, unreadable = [] }: Update,
  what: NonNullable<UpdateForm['endangers']>,
): NotDone {
  const why = {
    password: 'its password is not declared, and this service is not known to keep it',
    privacy: 'its privacy is not declared, and this service resets it with an update',
    unreadable: `${unreadable.join(', ') || 'a setting'} cannot be read, and this service is not known to keep what an update omits`,
  };
  const remedy = what === 'unreadable' ? DECLARE_OR_OMIT : DECLARE_BOTH;
  return recordFailure(`Cannot update ${domain}: ${why[what]}.`, remedy);
}

export function vanished({ domain, id }: Update): NotDone {
  const message = `${domain} no longer exists: the service has no record #${id}.`;
  return recordFailure(message, 'Plan again: it would be created.', 404);
}

/** The service wants a password with the privacy that was sent as read, and nobody declared one. */
export function asPasswordMissing(
  { fields, alongside }: Update,
  sent: WriteValues,
  error: ServiceError,
): NotDone | undefined {
  const isDeclared = fields.privacy !== undefined || (fields.password ?? alongside.password) !== undefined;
  if (isDeclared || sent.privacy !== PRIVACY.password || !('password' in error.fields)) return undefined;
  const { code, message, outcome, blame, attempts, status, fields: told } = error;
  const details = { outcome, blame, attempts, status, fields: told, remedy: DECLARE_BOTH };
  return { fate: 'failed', error: new ServiceError(code, message, details) };
}

function recordFailure(message: string, remedy: string, status?: number): NotDone {
  const details = { outcome: 'refused', blame: 'record', attempts: 1, status, remedy } as const;
  return { fate: 'failed', error: new ServiceError('service-failed', message, details) };
}
