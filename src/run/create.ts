/**
 * Creates one record, never two (decision: "A create is never sent twice blindly"). After a POST with an unknown
 * outcome, a record that look-ups find is adopted; another POST is sent only once the last cannot be in flight.
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
import { type ChangeContext, orThrow, recordFailure, type Verdict, verdictOfError } from './change.ts';
import type { IndexedChange } from './file/write.ts';
import { readRecord } from './records.ts';
import { executeUpdate } from './update.ts';

interface OpenCreate {
  readonly error: ServiceError;
  /** When another POST is safe, by the monotonic clock. */
  readonly safeAt: number;
  /** The service said that the domain is taken, or created: another POST is never safe. */
  readonly isTaken: boolean;
  readonly posts: number;
  looks: number;
  spentMs: number;
}

const MAX_POSTS = 5;
/** In milliseconds: the first wait of look-ups and POSTs, and the longest between look-ups. */
const FIRST_WAIT = 1000;
const MAX_WAIT = 30_000;

export async function executeCreate(item: IndexedChange<Create>, context: ChangeContext): Promise<Verdict> {
  if (!(await context.begin(item))) return { outcome: 'withdrawn' };
  let doubt: OpenCreate | undefined;
  for (;;) {
    const came = await post(item.change, doubt, context);
    if ('outcome' in came) return came;
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

/** Looks up the record once: it is found, another POST is safe, or a pause follows (none once the run stops). */
async function lookInto(
  item: IndexedChange<Create>,
  doubt: OpenCreate,
  context: ChangeContext,
): Promise<Verdict | 'again' | number> {
  const { clock, timeoutMs, halt } = context;
  const { error, safeAt, isTaken } = doubt;
  const isFinal = halt.aborted;
  // A look-up may take several requests and waits: it may be as old as its beginning.
  const isSafe = clock.monotonic() >= safeAt;
  const sight = await look(item.change.domain, context);
  if (typeof sight === 'object') return 'outcome' in sight ? sight : adopt(item, sight, context);
  if (isSafe && sight === 'absent' && !isTaken) {
    const isLate = isFinal || doubt.spentMs >= timeoutMs || doubt.posts >= MAX_POSTS;
    return isLate ? { outcome: 'failed', error } : 'again';
  }
  const wait = Math.min(MAX_WAIT, FIRST_WAIT * 4 ** doubt.looks);
  const pause = isSafe ? wait : Math.min(wait, Math.max(0, safeAt - clock.monotonic()));
  const isLate = isFinal || doubt.spentMs + pause > timeoutMs;
  if (sight === 'variant' && (isLate || isSafe)) return variantFound(item.change, error);
  if (isLate) return { outcome: 'unknown', error };
  doubt.looks += 1;
  return pause;
}

/** Without a known www rule, the first create of that kind runs alone. */
function variantFound({ domain }: Create, error: ServiceError): Verdict {
  const { outcome, blame, attempts, status } = error;
  const message = `Cannot tell whether ${domain} was created: the service has ${otherOf(domain)}, which may be it.`;
  const details = { outcome, blame, attempts, status, remedy: SETTLE_NAMES };
  return { outcome: 'unknown', error: new ServiceError('outcome-unknown', message, details) };
}

/** 'variant': only the www variant was found. 'unproven': the response may be incomplete. */
type Look = Website | 'absent' | 'variant' | 'unproven' | Verdict;

async function look(domain: string, { service, names }: ChangeContext): Promise<Look> {
  try {
    const { websites, proven } = await service.find(domain);
    const exact = websites.find((website) => domainKey(website.domain) === domain);
    if (exact !== undefined) return exact;
    // Either the service shortened the name, or this is another website.
    const bare = shownName(domain, names());
    const variant = websites.find((website) => domainKey(website.domain) === bare);
    if (variant !== undefined) return sameAs(domain, names()) === undefined ? 'variant' : variant;
    return proven ? 'absent' : 'unproven';
  } catch (error) {
    return orThrow(
      error,
      (failure): Look =>
        failure.code === 'key-refused' ? { outcome: 'unknown', error: failure } : 'unproven',
    );
  }
}

async function post(
  change: Create,
  doubt: OpenCreate | undefined,
  context: ChangeContext,
): Promise<Verdict | OpenCreate> {
  try {
    const website = await context.service.create(change.domain, context.values.ofCreate(change));
    const { id, domain } = website;
    const left = leftIn(change, website);
    return { outcome: 'done', id, left, ...otherDomain(change.domain, domain, context.names()) };
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    const error = doubt === undefined ? thrown : afterEarlier(thrown, doubt.error);
    const isTaken = doubt !== undefined && saysTaken(error);
    const verdict = isTaken ? undefined : verdictOfError(error);
    if (verdict === undefined) return doubtOf(error, isTaken, doubt ?? { posts: 0, spentMs: 0 }, context);
    return verdict.outcome === 'withdrawn' && doubt !== undefined
      ? { outcome: 'unknown', error: doubt.error }
      : verdict;
  }
}

function afterEarlier(error: ServiceError, { attempts }: ServiceError): ServiceError {
  const { code, message, cause } = error;
  return new ServiceError(code, message, { ...error, cause, attempts: attempts + error.attempts });
}

/** After a POST in doubt, a rejection of the domain is most likely about the record that the POST made. */
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
  // After a success status, a missing record may appear later, or under another name.
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

/** Takes over a record that a lost POST made, and updates it to the desired settings. */
async function adopt(
  { change, index }: IndexedChange<Create>,
  found: Website,
  context: ChangeContext,
): Promise<Verdict> {
  const { service, updates, names: naming } = context;
  const names = READABLE_NAMES.filter((name) => updates.rule !== 'changed' || name in change.fields);
  try {
    const website = await readRecord(service, { ...found, names }, found);
    if (website === undefined) return goneAgain(change);
    const comparison = compareWebsite(desiredOf(change), website, true);
    const { id, settings } = website;
    const note = 'its answer was lost; the record was found and adopted';
    const done: Verdict = {
      outcome: 'done',
      id,
      note,
      left: leftIn(change, website),
      ...otherDomain(change.domain, website.domain, naming()),
    };
    if (Object.keys(comparison.fields).length === 0) return done;
    const update = { ...change, ...comparison, action: 'update', id, before: settings } as const;
    const verdict = await executeUpdate({ change: update, index }, context, true);
    if (verdict === 'alone' || verdict.outcome === 'done' || verdict.outcome === 'found') return done;
    return verdict.error === undefined ? goneAgain(change) : { outcome: 'unknown', error: verdict.error };
  } catch (error) {
    return orThrow(error, (failure) => ({ outcome: 'unknown', error: failure }));
  }
}

/** Returns what the record shows that was not sent: undo deletes it only while it shows just that. */
export function leftIn({ fields }: Create, { settings, passwordSet }: Shows): Shows {
  const rest = READABLE_NAMES.filter((name) => !(name in fields) && settings[name] !== undefined);
  const shown = Object.fromEntries(rest.map((name) => [name, settings[name]]));
  return { settings: shown, ...(passwordSet === undefined ? {} : { passwordSet }) };
}

function goneAgain({ domain }: Create): Verdict {
  const { error } = recordFailure(
    `${domain} was created and no longer exists.`,
    'Plan again: it would be created.',
    404,
  );
  return { outcome: 'unknown', error };
}

function otherDomain(sent: string, answered: string, names: Names): { wrote?: string; note?: string } {
  const wrote = domainKey(answered);
  return wrote === sent ? {} : { wrote, note: renamedNote(sent, answered, names) };
}
