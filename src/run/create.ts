/**
 * Creates one record, never two (decision: "A create is never sent twice blindly"). After an unknown outcome,
 * searches for the record and adopts it. Sends another POST only when the previous one cannot be in flight.
 */
import type { Create } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { type FieldName, READABLE_NAMES, type SettingsDraft } from '../model/field-table.ts';
import type { Shows } from '../model/run.ts';
import { ServiceError } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { desiredOf } from '../planner/changes.ts';
import { compareWebsite } from '../planner/diff.ts';
import { type Names, otherOf, sameAs, wwwVariant } from '../planner/match.ts';
import {
  type ChangeContext,
  type Ended,
  isUnclear,
  outcomeOf,
  recordFailure,
  withOutcome,
} from './context.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './readings.ts';
import { executeUpdate } from './update.ts';

interface UncertainCreate {
  readonly error: ServiceError;
  /** The time after which another POST is safe, by the monotonic clock. */
  readonly safeAt: number;
  /** The service reported that the domain is taken, or that it was created. Another POST is never safe then. */
  readonly isTaken: boolean;
  readonly posts: number;
  looks: number;
  spentMs: number;
}

const MAX_POSTS = 5;
/** The first wait before a search or another POST, and the longest wait between searches, in milliseconds. */
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

export async function executeCreate(item: IndexedChange<Create>, context: ChangeContext): Promise<Ended> {
  const { change } = item;
  const { service, values, names, permit } = context;
  await context.begin(item);
  let uncertain: UncertainCreate | undefined;
  for (;;) {
    try {
      return endedBy(change, await service.create(change.domain, values.ofCreate(change), permit), names());
    } catch (error) {
      uncertain = uncertainCreate(error, uncertain, context);
    }
    const found = await search(change, uncertain, context);
    if (found !== undefined) return adopt(item, found, context);
  }
}

/** Throws the error again if the POST certainly created no record. */
function uncertainCreate(
  thrown: unknown,
  earlier: UncertainCreate | undefined,
  { clock, requestTimeoutMs, random }: ChangeContext,
): UncertainCreate {
  if (!(thrown instanceof ServiceError)) throw thrown;
  const { code, message, cause, fields } = thrown;
  const attempts = thrown.attempts + (earlier?.error.attempts ?? 0);
  const error = new ServiceError(code, message, { ...thrown, cause, attempts });
  // An earlier POST may have created the record. A rejection of the domain then most likely means that record.
  const isTaken =
    earlier !== undefined &&
    (error.status === 422 || error.status === 409) &&
    ('domain' in fields || Object.keys(fields).length === 0);
  if (!isTaken && !isUnclear(error)) {
    const isStopped = earlier !== undefined && outcomeOf(error) === 'not_attempted';
    throw isStopped ? withOutcome(earlier.error, 'unknown') : error;
  }
  const { posts, spentMs } = earlier ?? { posts: 0, spentMs: 0 };
  const now = clock.monotonic();
  const { status = 0, sentAt = now } = error;
  const inFlightUntil = error.outcome === 'unknown' ? sentAt + requestTimeoutMs : now;
  return {
    error,
    safeAt: Math.max(inFlightUntil, now + random() * MIN_WAIT_MS * 2 ** posts),
    // After a success status, a missing record may still appear, or have another domain.
    isTaken: isTaken || (status >= 200 && status < 300),
    posts: posts + 1,
    looks: 0,
    spentMs: spentMs + (now - sentAt),
  };
}

/** Searches until the record is found. Returns `undefined` when another POST is safe; throws when the time is up. */
async function search(
  change: Create,
  uncertain: UncertainCreate,
  context: ChangeContext,
): Promise<Website | undefined> {
  const { clock, timeoutMs, halt } = context;
  const { error, safeAt } = uncertain;
  const isFinal = halt.aborted;
  // Read before the search: a search may take several requests, so its result may be as old as its start.
  const isSafe = clock.monotonic() >= safeAt;
  const sight = await look(change.domain, context);
  if (typeof sight === 'object') return sight;
  const isAbsent = isSafe && sight === 'absent' && !uncertain.isTaken;
  const untilSafe = isSafe ? MAX_WAIT_MS : safeAt - clock.monotonic();
  const pause = isAbsent
    ? 0
    : Math.max(0, Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 4 ** uncertain.looks, untilSafe));
  const isLate =
    isFinal || uncertain.spentMs + pause > timeoutMs || (isAbsent && uncertain.posts >= MAX_POSTS);
  if (isLate) throw withOutcome(error, isAbsent ? 'refused' : 'unknown');
  if (isAbsent) return undefined;
  uncertain.looks += 1;
  uncertain.spentMs += pause;
  await clock.sleep(pause, halt);
  return search(change, uncertain, context);
}

/** Returns 'uncertain' if the response may be incomplete, or if the www variant that was found may be the record. */
async function look(
  domain: string,
  { service, names }: ChangeContext,
): Promise<Website | 'absent' | 'uncertain'> {
  try {
    const { websites, isCertain } = await service.find(domain);
    const exact = websites.find((website) => domainKey(website.domain) === domain);
    if (exact !== undefined) return exact;
    // The service may have shortened the domain; otherwise the www variant is another website.
    const bare = domain.startsWith('www.') ? otherOf(domain, names()) : undefined;
    const variant = websites.find((website) => domainKey(website.domain) === bare);
    if (variant !== undefined && sameAs(domain, names()) !== undefined) return variant;
    return isCertain && variant === undefined ? 'absent' : 'uncertain';
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'key-refused') throw withOutcome(error, 'unknown');
    return 'uncertain';
  }
}

/** Adopts the record of a POST whose response was lost, and updates it to the declared settings. */
async function adopt(
  { change, index }: IndexedChange<Create>,
  found: Website,
  context: ChangeContext,
): Promise<Ended> {
  const { service, updates } = context;
  const needs = (name: FieldName): boolean => updates.rule !== 'changed' || name in change.fields;
  try {
    const website = await readRecord(service, found, { needs }, found);
    if (website === undefined) {
      const gone = `${change.domain} was created and no longer exists.`;
      throw recordFailure(gone, 'Plan again to create it.', 404);
    }
    const { fields, ...comparison } = compareWebsite(desiredOf(change), website, true);
    const { id, settings: before } = website;
    if (Object.keys(fields).length > 0) {
      const update = { ...change, ...comparison, fields, action: 'update', id, before } as const;
      await executeUpdate({ change: update, index }, context);
    }
    return { note: { code: 'adopted' }, ...endedBy(change, website, context.names()) };
  } catch (error) {
    throw withOutcome(error, 'unknown');
  }
}

function endedBy(change: Create, website: Website, names: Names): Ended {
  const { id, domain } = website;
  const ended = { id, left: leftIn(change, website) };
  const wrote = domainKey(domain);
  if (wrote === change.domain) return ended;
  const needsKey = names.www === undefined && wrote === wwwVariant(change.domain);
  return { ...ended, note: { code: needsKey ? 'stored-as-variant' : 'stored-as', domain } };
}

/** Returns the values that the create did not send. Undo deletes the record only if these are unchanged. */
export function leftIn({ fields }: Create, { settings, passwordSet }: Shows): Shows {
  const shown: SettingsDraft = {};
  for (const name of READABLE_NAMES) {
    if (!(name in fields) && settings[name] !== undefined) shown[name] = settings[name];
  }
  return { settings: shown, passwordSet };
}
