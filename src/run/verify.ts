/**
 * The verification (decision: "Every apply ends with a verification"): each change that was carried out is compared with
 * its record, read again; a service that shows a write a moment later gets a bounded wait.
 */
import { allFields, type Change, isSecretChange } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { FieldName, Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Done, Effect, LastShown, Residual, Result, RunEvent } from '../model/run.ts';
import { ServiceError, type WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { desiredOf } from '../planner/changes.ts';
import { compareWebsite } from '../planner/diff.ts';
import { isNamed, type Names } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import type { Clock } from '../util/clock.ts';
import { leftIn } from './create.ts';
import { type LookOptions, lookAt, type Sight, type WantedFields } from './records.ts';

const WAITS = [250, 500, 1000, 2000] as const;

export interface Verification extends Pick<Result, 'converged' | 'residual' | 'unverified'> {
  readonly reason?: string;
  readonly keyRefused?: true;
  /** Settings that updates were not to change, and that differ from the reading before them. */
  readonly sideEffects?: readonly Effect[];
  /** Those that differ from the reading after them: others changed them. */
  readonly meanwhile?: readonly Effect[];
  /** What records of creates show of which their answers did not. */
  readonly left?: ReadonlyMap<Change, Pick<Done, 'id' | 'left'>>;
}

/** The service was not looked at. */
export const UNVERIFIED: Verification = { converged: null, residual: [] };

export interface VerifyOptions extends Omit<LookOptions<Done>, 'wanted' | 'signal'> {
  readonly clock: Clock;
  readonly emit: (event: RunEvent) => void;
  readonly signal: AbortSignal;
}

/** `done` are the changes that were carried out. Throws only what is a bug. */
export async function verify(done: readonly Done[], options: VerifyOptions): Promise<Verification> {
  const { clock, emit, signal, ...around } = options;
  const sights = new Map<Done, Sight>();
  const look = async (some: readonly Done[]): Promise<readonly Done[]> => {
    for (const [one, sight] of await lookAt(some, { ...around, wanted })) sights.set(one, sight);
    return some.filter((one) => residualOf(one).length > 0);
  };
  const residualOf = (one: Done): readonly Residual[] => compare(one, sights.get(one), options.names);
  emit({ type: 'verify_started' });
  try {
    let open = await look(done);
    for (const wait of WAITS) {
      if (open.length === 0 || signal.aborted) break;
      emit({ type: 'verify_waiting', open: open.length, milliseconds: wait });
      await clock.sleep(wait, signal);
      open = await look(open);
    }
    const residual = open.flatMap(residualOf);
    const converged = residual.length === 0;
    return { converged, residual, ...effectsOn(done, sights), left: leftBy(done, sights) };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    const { code, message: reason } = error;
    return { ...UNVERIFIED, reason, ...(code === 'key-refused' ? { keyRefused: true } : {}) };
  }
}

/**
 * A 404 tells that a record is gone only on a service that has shown a record by itself. A run that only deletes reads
 * one for that while it is there.
 */
export async function seeOneAlone(changes: readonly Change[], service: WebsiteService): Promise<void> {
  const [first] = changes;
  if (first?.action !== 'delete' || changes.some(({ action }) => action === 'update')) return;
  try {
    if (service.traits.read.size === 0) await service.read(first.id);
  } catch (error) {
    // What is wrong stops the deletes, too; else the list verifies them.
    if (!(error instanceof ServiceError)) throw error;
  }
}

/** What the change sent, and what it was not to change if nothing has shown that since. */
function wanted({ change, last }: Done, isListed: boolean): WantedFields {
  const names = [...sentNames(change), ...(last?.isAfter === false ? namesIn(last.settings) : [])];
  return isListed || change.action !== 'update' ? { names } : { names, before: change.before };
}

function sentNames(change: Change): readonly FieldName[] {
  if (change.action === 'delete') return [];
  return Object.entries(allFields(change)).flatMap(([name, field]) =>
    isSecretChange(field) || isEmpty(field.after) ? [] : (name as FieldName),
  );
}

function namesIn(settings: Settings): readonly FieldName[] {
  return Object.keys(settings) as FieldName[];
}

/** What does not show of a change. An id that is another website's by now was given away again. */
function compare({ change, id }: Done, sight: Sight | undefined, names: Names): readonly Residual[] {
  const { action, domain } = change;
  const records = [...(sight?.website ? [sight.website] : []), ...(sight?.others ?? [])];
  const named = records.filter((website) => isNamed(website, domain, names));
  const own = named.find((website) => website.id === id);
  if (action === 'delete')
    return own === undefined ? [] : [{ action, domain, message: `${domain} still exists` }];
  const shown = own ?? (action === 'create' ? named[0] : undefined);
  if (shown === undefined) return [{ action, domain, message: `${domain} does not exist` }];
  const name = domainKey(shown.domain);
  const ids = named
    .filter((website) => domainKey(website.domain) === name)
    .map((website) => `#${website.id}`);
  if (ids.length > 1) {
    const message = `${name} exists ${ids.length} times (${ids.join(', ')}): delete all but one on the service`;
    return [{ action, domain, message }];
  }
  const { fields } = compareWebsite(desiredOf(change), shown, false);
  return Object.entries(fields).map(([field, difference]): Residual => {
    const what = { action, domain, field: field as FieldName };
    if (isSecretChange(difference)) return { ...what, message: `${domain}: ${field} is not as it was sent` };
    const { before, after } = difference;
    const now = before === undefined ? {} : { shown: before };
    return { ...what, wanted: after, ...now, message: `${domain}: the service ignored ${field}` };
  });
}

function effectsOn(
  done: readonly Done[],
  sights: ReadonlyMap<Done, Sight>,
): Pick<Verification, 'sideEffects' | 'meanwhile' | 'unverified'> {
  const sideEffects: Effect[] = [];
  const meanwhile: Effect[] = [];
  const unseen = new Map<FieldName, number>();
  for (const one of done) {
    const { change, last } = one;
    const now = sights.get(one)?.website;
    if (change.action !== 'update' || last === undefined || now === undefined) continue;
    (last.isAfter ? meanwhile : sideEffects).push(...changedBetween(change, last.declared, last, now));
    for (const field of unseenIn(last, now)) unseen.set(field, (unseen.get(field) ?? 0) + 1);
  }
  const unverified = [...unseen].map(([field, count]) => ({ field, records: count }));
  return { sideEffects, meanwhile, ...(unverified.length === 0 ? {} : { unverified }) };
}

/** What the records of creates show, where that is more than their answers showed. */
function leftBy(done: readonly Done[], sights: ReadonlyMap<Done, Sight>): NonNullable<Verification['left']> {
  const left = new Map<Change, Pick<Done, 'id' | 'left'>>();
  for (const one of done) {
    const now = sights.get(one)?.website;
    if (one.change.action !== 'create' || now === undefined) continue;
    const shown = leftIn(one.change, now);
    const isKnown = namesIn(shown.settings).every((name) => one.left?.settings[name] !== undefined);
    const isSetKnown = shown.passwordSet === undefined || one.left?.passwordSet !== undefined;
    if (!isKnown || !isSetKnown) left.set(one.change, { id: one.id, left: shown });
  }
  return left;
}

function unseenIn({ isAfter, declared, settings }: LastShown, now: Website): readonly FieldName[] {
  if (isAfter) return [];
  return namesIn(settings).filter((name) => !declared.includes(name) && now.settings[name] === undefined);
}
