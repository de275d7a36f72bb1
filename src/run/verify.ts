/** Verifies a run, several times if writes show late (decision: "Every apply ends with a verification"). */
import { type Change, isSecretChange, sentField } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { type FieldName, READABLE_NAMES } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Effect, Residual, Result, RunFact, Shows } from '../model/run.ts';
import { ServiceError } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { isNamed, type Names } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import type { RunContext, Sent } from './context.ts';
import { leftIn } from './create.ts';
import { differingFrom, isReadBack, lookAt, type Sight, type WantedFields } from './readings.ts';

const WAITS = [250, 500, 1000, 2000] as const;

export interface Verification extends Pick<Result, 'converged' | 'residual' | 'unverified'> {
  readonly reason?: string;
  readonly keyRefused?: boolean;
  /** Settings that the updates should not have changed and that differ from the reading before. */
  readonly sideEffects?: readonly Effect[];
  /** Settings that differ from the reading after the update. Others made these edits. */
  readonly meanwhile?: readonly Effect[];
  /** Creates whose record shows more values than before. */
  readonly left?: readonly Sent[];
}

export const UNVERIFIED: Verification = { converged: null, residual: [] };

export async function verify(done: readonly Sent[], run: RunContext, names: Names): Promise<Verification> {
  const { clock, emit, signal } = run;
  const sights = new Map<Sent, Sight>();
  const look = async (some: readonly Sent[]): Promise<readonly Sent[]> => {
    for (const [one, sight] of await lookAt(some, { run, names, wanted })) sights.set(one, sight);
    return some.filter((one) => residualOf(one).length > 0);
  };
  const residualOf = (one: Sent): readonly Residual[] => compare(one, sights.get(one), names, run.factText);
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
    return { converged: residual.length === 0, residual, ...effectsOn(done, sights) };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    return { ...UNVERIFIED, reason: error.message, keyRefused: error.code === 'key-refused' };
  }
}

/** Reads one record before the deletes. A 404 confirms a delete only if the service returns single records. */
export async function seeOneAlone(
  changes: readonly Change[],
  { service, plan, signal }: RunContext,
): Promise<void> {
  const [first] = changes;
  const isEach = isReadBack(changes.length, plan) && service.traits.read.size === 0 && !signal.aborted;
  if (!isEach || first?.action !== 'delete' || changes.some(({ action }) => action === 'update')) return;
  await service.read(first.id).catch((error: unknown) => {
    // Any failure can be ignored: if the service is down, the deletes fail too. Otherwise the list verifies the deletes.
    if (!(error instanceof ServiceError)) throw error;
  });
}

function wanted({ change, last }: Sent, isListed: boolean): WantedFields {
  const needs = (name: FieldName): boolean => isSent(change, name) || isUnread(name, last);
  return isListed || change.action !== 'update' ? { needs } : { needs, before: change.before };
}

function isSent(change: Change, name: FieldName): boolean {
  const field = sentField(change, name);
  return field !== undefined && !isSecretChange(field) && !isEmpty(field.after);
}

/** True for a setting that an update must not change, if the run has not read it after the update. */
function isUnread(name: FieldName, last: Sent['last']): boolean {
  return last?.isAfter === false && last.settings[name] !== undefined;
}

/** A record whose ID now belongs to another website is gone: the service reused the ID. */
function compare(
  { change, id }: Sent,
  sight: Sight | undefined,
  names: Names,
  factText: RunContext['factText'],
): readonly Residual[] {
  const { action, domain } = change;
  const residual = (fact: RunFact, shown: Pick<Residual, 'field' | 'wanted' | 'shown'> = {}): Residual => {
    return { action, domain, ...shown, message: factText(fact) };
  };
  const records = [...(sight?.website ? [sight.website] : []), ...(sight?.others ?? [])];
  const named = records.filter((website) => isNamed(website, domain, names));
  const own = named.find((website) => website.id === id);
  if (action === 'delete') return own === undefined ? [] : [residual({ code: 'still-exists', domain })];
  const shown = own ?? (action === 'create' ? named[0] : undefined);
  if (shown === undefined) return [residual({ code: 'missing', domain })];
  const name = domainKey(shown.domain);
  const ids = named.filter((website) => domainKey(website.domain) === name).map((website) => website.id);
  if (ids.length > 1) return [residual({ code: 'repeated', name, ids, count: ids.length })];
  return differingFrom(change, shown).map((field) => {
    const sent = sentField(change, field);
    if (sent === undefined || isSecretChange(sent))
      return residual({ code: 'not-as-sent', domain, field }, { field });
    const values = { wanted: sent.after, shown: shown.settings[field] };
    return residual({ code: 'ignored', domain, field }, { field, ...values });
  });
}

function effectsOn(done: readonly Sent[], sights: ReadonlyMap<Sent, Sight>) {
  const left: Sent[] = [];
  const unseen = new Map<FieldName, number>();
  const [sideEffects, meanwhile]: [Effect[], Effect[]] = [[], []];
  for (const one of done) {
    const { change, last } = one;
    const now = sights.get(one)?.website;
    if (now === undefined) continue;
    const more = moreLeft(one, now);
    if (more !== undefined) left.push({ ...one, left: more });
    for (const field of unseenIn(one, now)) unseen.set(field, (unseen.get(field) ?? 0) + 1);
    if (change.action !== 'update' || last === undefined) continue;
    (last.isAfter ? meanwhile : sideEffects).push(...changedBetween(change, last, now, last.declared));
  }
  const unverified = [...unseen].map(([field, records]) => ({ field, records }));
  return { sideEffects, meanwhile, left, unverified };
}

function moreLeft({ change, left: known }: Sent, now: Website): Shows | undefined {
  if (change.action !== 'create') return undefined;
  const isNew = (name: FieldName): boolean =>
    now.settings[name] !== undefined && !(name in change.fields) && known?.settings[name] === undefined;
  const isPassword = now.passwordSet !== undefined && known?.passwordSet === undefined;
  return isPassword || READABLE_NAMES.some(isNew) ? leftIn(change, now) : undefined;
}

function unseenIn({ change, last }: Sent, { settings }: Website): readonly FieldName[] {
  return READABLE_NAMES.filter((name) => {
    const isKept = isUnread(name, last) && !last?.declared.includes(name);
    return settings[name] === undefined && (isKept || isSent(change, name));
  });
}
