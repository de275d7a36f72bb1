/**
 * Carrying out one create so that there is never a second record (decision: "A create is never sent twice blindly").
 * A POST whose outcome is not known is followed by look-ups: a record that is found is adopted; not finding it
 * licenses another POST only when the last one can no longer be at work.
 */
import type { Create } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { READABLE_NAMES } from '../model/field-table.ts';
import type { Shows } from '../model/run.ts';
import { ServiceError } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { desiredOf } from '../planner/changes.ts';
import { compareWebsite } from '../planner/diff.ts';
import { type Names, otherOf, renamedNote, SETTLE_NAMES, sameAs, shownName } from '../planner/match.ts';
import { type ChangeContext, type ChangeOutcome, orThrow, outcomeOfError, recordFailure } from './change.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './records.ts';
import { executeUpdate } from './update.ts';

/** From the first POST on that may have been carried out. */
interface OpenCreate {
  readonly error: ServiceError;
  /** From when on another POST is safe, by the monotonic clock. */
  readonly safeAt: number;
  /** Another POST is never safe: the domain is said to be taken, or created. */
  readonly isTaken: boolean;
  readonly posts: number;
  looks: number;
  /** What POSTs in doubt and pauses took so far, in milliseconds. */
  spentMs: number;
}

const MAX_POSTS = 5;
/** In milliseconds: what the waits between look-ups and between POSTs grow from, and the longest between look-ups. */
const FIRST_WAIT = 1000;
const MAX_WAIT = 30_000;

/** Sends a create; looks what came of it if that is not known, and sends it again where that is safe. */
export async function executeCreate(
  item: IndexedChange<Create>,
  context: ChangeContext,
): Promise<ChangeOutcome> {
  if (!(await context.begin(item))) return { fate: 'withdrawn' };
  let doubt: OpenCreate | undefined;
  for (;;) {
    const came = await post(item.change, doubt, context);
    if ('fate' in came) return came;
    doubt = came;
    let step = await lookInto(item, doubt, context);
    while (typeof step === 'number') {
      doubt.spentMs += step;
      await context.pause(step);
      step = await lookInto(item, doubt, context);
    }
    if (step !== 'again') return step;
  }
}

/** One look: the record is found, another POST is safe, or there is a pause until the next look; none once the run stops. */
async function lookInto(
  item: IndexedChange<Create>,
  doubt: OpenCreate,
  context: ChangeContext,
): Promise<ChangeOutcome | 'again' | number> {
  const { clock, timeoutMs, halt } = context;
  const { error, safeAt, isTaken } = doubt;
  const isFinal = halt.aborted;
  // What a look shows may be as old as its beginning: it may take several requests, and wait for each.
  const isSafe = clock.monotonic() >= safeAt;
  const sight = await look(item.change.domain, context);
  if (typeof sight === 'object') return 'fate' in sight ? sight : adopt(item, sight, context);
  if (isSafe && sight === 'absent' && !isTaken) {
    const isLate = isFinal || doubt.spentMs >= timeoutMs || doubt.posts >= MAX_POSTS;
    return isLate ? { fate: 'failed', error } : 'again';
  }
  const wait = Math.min(MAX_WAIT, FIRST_WAIT * 4 ** doubt.looks);
  const pause = isSafe ? wait : Math.min(wait, Math.max(0, safeAt - clock.monotonic()));
  const isLate = isFinal || doubt.spentMs + pause > timeoutMs;
  if (sight === 'variant' && (isLate || isSafe)) return variantFound(item.change, error);
  if (isLate) return { fate: 'unknown', error };
  doubt.looks += 1;
  return pause;
}

/** Nothing tells what a variant is: the first create of that kind goes alone. */
function variantFound({ domain }: Create, error: ServiceError): ChangeOutcome {
  const { outcome, blame, attempts, status } = error;
  const message = `Cannot tell whether ${domain} was created: the service has ${otherOf(domain)}, which may be it.`;
  const details = { outcome, blame, attempts, status, remedy: SETTLE_NAMES };
  return { fate: 'unknown', error: new ServiceError('outcome-unknown', message, details) };
}

/** The record, none, or nothing certain: only its other name, an answer that is not complete, or an error. */
type Look = Website | 'absent' | 'variant' | 'unproven' | ChangeOutcome;

async function look(domain: string, { service, names }: ChangeContext): Promise<Look> {
  try {
    const { websites, proven } = await service.find(domain);
    const exact = websites.find((website) => domainKey(website.domain) === domain);
    if (exact !== undefined) return exact;
    // That is what a service made of it that shortens names, or another website.
    const bare = shownName(domain, names());
    const variant = websites.find((website) => domainKey(website.domain) === bare);
    if (variant !== undefined) return sameAs(domain, names()) === undefined ? 'variant' : variant;
    return proven ? 'absent' : 'unproven';
  } catch (error) {
    return orThrow(
      error,
      (failure): Look => (failure.code === 'key-refused' ? { fate: 'unknown', error: failure } : 'unproven'),
    );
  }
}

async function post(
  change: Create,
  doubt: OpenCreate | undefined,
  context: ChangeContext,
): Promise<ChangeOutcome | OpenCreate> {
  try {
    const website = await context.service.create(change.domain, context.values.ofCreate(change));
    const { id, domain } = website;
    const left = leftIn(change, website);
    return { fate: 'done', id, left, ...otherDomain(change.domain, domain, context.names()) };
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    const error = doubt === undefined ? thrown : afterEarlier(thrown, doubt.error);
    const isTaken = doubt !== undefined && saysTaken(error);
    const verdict = isTaken ? undefined : outcomeOfError(error);
    if (verdict === undefined) return doubtOf(error, isTaken, doubt ?? { posts: 0, spentMs: 0 }, context);
    return verdict.fate === 'withdrawn' && doubt !== undefined
      ? { fate: 'unknown', error: doubt.error }
      : verdict;
  }
}

/** The error, with the attempts of the POSTs before it counted too. */
function afterEarlier(error: ServiceError, { attempts }: ServiceError): ServiceError {
  const { code, message, cause } = error;
  return new ServiceError(code, message, { ...error, cause, attempts: attempts + error.attempts });
}

/** A refusal about the domain: after a POST in doubt, it is most likely about the record that it made. */
function saysTaken({ status, fields }: ServiceError): boolean {
  const isRefusal = status === 422 || status === 409;
  return isRefusal && ('domain' in fields || Object.keys(fields).length === 0);
}

function doubtOf(
  error: ServiceError,
  isTaken: boolean,
  { posts, spentMs }: Pick<OpenCreate, 'posts' | 'spentMs'>,
  { clock, requestTimeoutMs, random }: ChangeContext,
): OpenCreate {
  const now = clock.monotonic();
  const sentAt = error.sentAt ?? now;
  const mayBeAtWork = error.outcome === 'unknown' ? sentAt + requestTimeoutMs : now;
  const backOff = random() * FIRST_WAIT * 2 ** posts;
  // After a good status, whatever its body, a record that does not show may do so later, or by another name.
  const { status = 0 } = error;
  return {
    error,
    safeAt: Math.max(mayBeAtWork, now + backOff),
    isTaken: isTaken || (status >= 200 && status < 300),
    posts: posts + 1,
    looks: 0,
    spentMs: spentMs + (now - sentAt),
  };
}

/** Takes a record that our own lost request made, and brings it to the desired settings. */
async function adopt(
  { change, index }: IndexedChange<Create>,
  found: Website,
  context: ChangeContext,
): Promise<ChangeOutcome> {
  const { service, updates, names: naming } = context;
  const names = READABLE_NAMES.filter((name) => updates.rule !== 'changed' || name in change.fields);
  try {
    const website = await readRecord(service, { ...found, names }, found);
    if (website === undefined) return goneAgain(change);
    const comparison = compareWebsite(desiredOf(change), website, true);
    const { id, settings } = website;
    const note = 'its answer was lost; the record was found and adopted';
    const done: ChangeOutcome = {
      fate: 'done',
      id,
      note,
      left: leftIn(change, website),
      ...otherDomain(change.domain, website.domain, naming()),
    };
    if (Object.keys(comparison.fields).length === 0) return done;
    const update = { ...change, ...comparison, action: 'update', id, before: settings } as const;
    const outcome = await executeUpdate({ change: update, index }, context, true);
    if (outcome === 'alone' || outcome.fate === 'done' || outcome.fate === 'found') return done;
    return outcome.error === undefined ? goneAgain(change) : { fate: 'unknown', error: outcome.error };
  } catch (error) {
    return orThrow(error, (failure) => ({ fate: 'unknown', error: failure }));
  }
}

/** What the record of a create shows beyond what was sent: an undo deletes it only while it shows just that. */
export function leftIn({ fields }: Create, { settings, passwordSet }: Shows): Shows {
  const rest = READABLE_NAMES.filter((name) => !(name in fields) && settings[name] !== undefined);
  const shown = Object.fromEntries(rest.map((name) => [name, settings[name]]));
  return { settings: shown, ...(passwordSet === undefined ? {} : { passwordSet }) };
}

function goneAgain({ domain }: Create): ChangeOutcome {
  const { error } = recordFailure(
    `${domain} was created and no longer exists.`,
    'Plan again: it would be created.',
    404,
  );
  return { fate: 'unknown', error };
}

/** What a service wrote, if that is another domain than was sent. */
function otherDomain(sent: string, answered: string, names: Names): { wrote?: string; note?: string } {
  const wrote = domainKey(answered);
  return wrote === sent ? {} : { wrote, note: renamedNote(sent, answered, names) };
}
