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
import { desiredOf } from '../planner/desired-of-plan.ts';
import { compareWebsite } from '../planner/diff.ts';
import { type Names, otherOf, renamedNote, SETTLE_NAMES, sameAs, shownName } from '../planner/match.ts';
import { type ChangeContext, type ChangeOutcome, orThrow, outcomeOfError, recordFailure } from './change.ts';
import { readFound } from './reading.ts';
import { executeUpdate } from './update.ts';

/** A create that is under way; it is put aside, and taken up again, until it is settled. */
export interface CreateAttempt {
  readonly change: Create;
  /** Its place in the plan. */
  readonly index: number;
  posts: number;
  /** There is one from the first POST on that may have been carried out. */
  doubt?: Doubt;
}

interface Doubt {
  readonly error: ServiceError;
  /** From when on another POST is safe, by the monotonic clock; never, once the domain is said to be taken, or created. */
  readonly safeAt: number;
  readonly isTaken: boolean;
  /** Look-ups since the last POST. */
  looks: number;
  /** What POSTs in doubt and pauses took so far, in milliseconds. */
  spentMs: number;
}

/** It ended, or it is put aside until a time of the monotonic clock. */
export type CreateStep = ChangeOutcome | { readonly fate: 'aside'; readonly until: number };

const MOST_POSTS = 5;
/** In milliseconds: what the waits between look-ups and between POSTs grow from, and the longest between look-ups. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30_000;

/**
 * Takes the next step of a create: sends it, or looks what came of it. With `isFinal` nothing is sent: it
 * says what can be said at once.
 */
export function stepCreate(
  attempt: CreateAttempt,
  context: ChangeContext,
  isFinal: boolean,
): CreateStep | Promise<CreateStep> {
  const { doubt } = attempt;
  if (doubt !== undefined) return lookInto(attempt, doubt, context, isFinal);
  return isFinal ? { fate: 'withdrawn' } : post(attempt, context);
}

async function lookInto(
  attempt: CreateAttempt,
  doubt: Doubt,
  context: ChangeContext,
  isFinal: boolean,
): Promise<CreateStep> {
  const { change } = attempt;
  // What a look shows may be as old as its beginning: it may take several requests, and wait for each.
  const isSafe = context.clock.monotonic() >= doubt.safeAt;
  const sight = await look(change.domain, context);
  doubt.looks += 1;
  if (typeof sight === 'object' && 'id' in sight) return adopt(attempt, sight, context);
  if (sight instanceof ServiceError && sight.code === 'key-refused') return { fate: 'unknown', error: sight };
  return isFinal ? giveUp(attempt, doubt, sight, isSafe) : goOn(attempt, doubt, sight, isSafe, context);
}

/** What a look-up showed: the record, none, nothing certain (only its other name, or an incomplete answer), or an error. */
type Sight = Website | 'absent' | 'variant' | 'unproven' | ServiceError;

async function look(domain: string, { service, names }: ChangeContext): Promise<Sight> {
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
    return orThrow(error, (failure) => failure);
  }
}

/** After a look-up that did not find the record: sends it again where that is safe, else waits or gives up. */
function goOn(
  attempt: CreateAttempt,
  doubt: Doubt,
  sight: Sight,
  isSafe: boolean,
  context: ChangeContext,
): CreateStep | Promise<CreateStep> {
  const { clock, timeoutMs } = context;
  const now = clock.monotonic();
  if (isSafe && isAbsent(doubt, sight)) {
    const isLate = doubt.spentMs >= timeoutMs || attempt.posts >= MOST_POSTS;
    return isLate ? giveUp(attempt, doubt, sight, isSafe) : post(attempt, context);
  }
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 4 ** (doubt.looks - 1));
  const pause = isSafe ? wait : Math.min(wait, Math.max(0, doubt.safeAt - now));
  const isLate = doubt.spentMs + pause > timeoutMs;
  // Nothing tells what a variant is: the first create of that kind goes alone.
  if (isLate || (isSafe && sight === 'variant')) return giveUp(attempt, doubt, sight, isSafe);
  doubt.spentMs += pause;
  return { fate: 'aside', until: now + pause };
}

/** No record was found, and nobody says that there is one. */
function isAbsent({ isTaken }: Doubt, sight: Sight): boolean {
  return sight === 'absent' && !isTaken;
}

function giveUp({ change }: CreateAttempt, doubt: Doubt, sight: Sight, isSafe: boolean): ChangeOutcome {
  const { error } = doubt;
  if (isSafe && isAbsent(doubt, sight)) return { fate: 'failed', error };
  if (sight !== 'variant') return { fate: 'unknown', error };
  const { domain } = change;
  const { outcome, blame, attempts, status } = error;
  const message = `Cannot tell whether ${domain} was created: the service has ${otherOf(domain)}, which may be it.`;
  const details = { outcome, blame, attempts, status, remedy: SETTLE_NAMES };
  return { fate: 'unknown', error: new ServiceError('outcome-unknown', message, details) };
}

async function post(attempt: CreateAttempt, context: ChangeContext): Promise<CreateStep> {
  const { change, doubt } = attempt;
  attempt.posts += 1;
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
    if (verdict === undefined) return putAside(attempt, error, isTaken, context);
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

/** A good status, whatever its body: a record that does not show may do so later, or by another name. */
function saysCreated({ status = 0 }: ServiceError): boolean {
  return status >= 200 && status < 300;
}

/** Notes the doubt; the first look is at once. */
function putAside(
  attempt: CreateAttempt,
  error: ServiceError,
  isTaken: boolean,
  context: ChangeContext,
): CreateStep {
  const { clock, requestTimeoutMs, random } = context;
  const { doubt, posts } = attempt;
  const now = clock.monotonic();
  const sentAt = error.sentAt ?? now;
  const mayBeAtWork = error.outcome === 'unknown' ? sentAt + requestTimeoutMs : now;
  const backOff = random() * FIRST_WAIT * 2 ** (posts - 1);
  attempt.doubt = {
    error,
    safeAt: Math.max(mayBeAtWork, now + backOff),
    isTaken: isTaken || saysCreated(error),
    looks: 0,
    spentMs: (doubt?.spentMs ?? 0) + (now - sentAt),
  };
  return { fate: 'aside', until: now };
}

/** Takes a record that our own lost request made, and brings it to the desired settings. */
async function adopt(
  { change, index }: CreateAttempt,
  found: Website,
  context: ChangeContext,
): Promise<ChangeOutcome> {
  const { service, updates, names: naming } = context;
  const names = READABLE_NAMES.filter((name) => updates.rule !== 'changed' || name in change.fields);
  try {
    const website = await readFound(service, found, names, naming());
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
