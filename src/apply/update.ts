/** Carrying out one update. */
import type { Update } from '../core/change.ts';
import { PRIVACY, type Settings } from '../core/fields.ts';
import { ServiceError } from '../core/service.ts';
import type { Website } from '../core/website.ts';
import type { BaseReader } from './base.ts';
import { settleByReading } from './settle.ts';
import { showsAfter } from './shows.ts';
import { type Carrier, notCarriedOut, type Verdict, verdictOf } from './verdict.ts';

const NOTHING: Settings = {};

/** Sends the update over a fresh base; where the outcome stays unknown, reads the record to tell. */
export async function carryOutUpdate(change: Update, base: BaseReader, carrier: Carrier): Promise<Verdict> {
  const known = carrier.update === 'changed' ? NOTHING : base.baseOf(change);
  const settings = known instanceof Promise ? await readBase(change, known) : known;
  if ('fate' in settings) return settings;
  const values = carrier.values.ofUpdate(change, settings);
  try {
    const website = await carrier.service.update(change.id, change.domain, values);
    return website === 'vanished' ? vanished(change) : { fate: 'done', id: change.id };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (lacksPassword(change, settings, error)) return declarePassword(error);
    const { service } = carrier;
    return verdictOf(error) ?? settleByReading(change.id, error, service, (website) => tell(change, website));
  }
}

/** What the update is laid over, which has to be read first. Reading changes nothing. */
async function readBase(
  change: Update,
  reading: Promise<Settings | 'vanished'>,
): Promise<Settings | Verdict> {
  try {
    const settings = await reading;
    return settings === 'vanished' ? vanished(change) : settings;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return notCarriedOut(error);
  }
}

/** What a record tells of an update whose answer was lost. */
function tell(change: Update, website: Website | undefined): Verdict | undefined {
  if (website === undefined) return vanished(change);
  const note = 'its answer was lost; the record shows it';
  return showsAfter(change, website) === true ? { fate: 'done', id: change.id, note } : undefined;
}

/** The full form repeats a privacy that wants a password which nobody declared (design, Settled C). */
function lacksPassword({ fields, alongside }: Update, base: Settings, error: ServiceError): boolean {
  const isDeclared = fields.privacy !== undefined || (fields.password ?? alongside.password) !== undefined;
  return !isDeclared && base.privacy === PRIVACY.password && 'password' in error.fields;
}

function declarePassword(error: ServiceError): Verdict {
  const remedy = 'Declare the password of this website, or set "service.update" to "changed" in the file.';
  const { code, message, outcome, blame, attempts, status, fields } = error;
  const details = { outcome, blame, attempts, status, fields, remedy };
  return { fate: 'failed', error: new ServiceError(code, message, details) };
}

function vanished({ domain, id }: Update): Verdict {
  const message = `${domain} has vanished: the service has no record #${id} any more.`;
  const details = { outcome: 'refused', blame: 'record', status: 404, attempts: 1 } as const;
  const remedy = 'Plan again: it would be created.';
  return { fate: 'failed', error: new ServiceError('service-failed', message, { ...details, remedy }) };
}
