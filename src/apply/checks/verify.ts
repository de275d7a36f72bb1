/**
 * The verification (decision: "Every apply ends with a verification"): read again, plan again. Every change of the run must
 * show what it was to make; a service that shows a write a moment later gets a bounded wait.
 */
import { allFields, type Change, isSecretChange } from '../../model/change.ts';
import { domainKey, isNamed, wwwVariant } from '../../model/domain.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Plan, PlanOptions } from '../../model/plan.ts';
import type { Done, Effect, Effects, Residual, Result, RunEvent } from '../../model/run.ts';
import { ServiceError, type WebsiteService } from '../../model/service.ts';
import type { Website, WwwRule } from '../../model/website.ts';
import { isPrune } from '../../planner/changes.ts';
import { effectsOf, unseenSince } from '../../update/side-effects.ts';
import type { Clock } from '../../util/clock.ts';
import { showsAfter } from './is-applied.ts';
import { isReadBack, readBack } from './read-back.ts';

/** How long to wait before each further look, in milliseconds. */
export const VERIFY_WAITS = [250, 500, 1000, 2000] as const;
/** Records that are read by themselves to tell whether another look at all of them is worth it. */
const SAMPLE = 10;

/** What a result says of it, and more. */
export interface Proof extends Pick<Result, 'converged' | 'residual' | 'others' | 'partial'> {
  /** Why it could not be verified, if so. */
  readonly reason?: string;
  /** It is that the service refused the key. */
  readonly keyRefused?: true;
  /** What became of settings that the run was not to change; missing where the service was not looked at. */
  readonly effects?: Effects;
}

/** The service was not looked at. */
export const UNPROVEN: Proof = { converged: null, residual: [], others: 0 };

/** A change that was carried out, be it by an earlier run, which this one goes on with. */
interface Proven extends Done {
  readonly earlier?: true;
}

/** What a run found out of the service, for whoever plans after it. */
export type Learned = Pick<PlanOptions, 'www'>;

/** A second plan, and the records that it was made from. */
export interface Replan {
  readonly plan: Plan;
  readonly websites: readonly Website[];
  /** It is of a part of what is wanted, and tells nothing of other differences. */
  readonly partial?: boolean | undefined;
}

/** Records that were read back, in place of the list. */
export interface Seen {
  /** Each has all of its records among the websites, or has none. */
  readonly domains: ReadonlySet<string>;
  readonly websites: readonly Website[];
}

export interface ProofOptions {
  readonly service: WebsiteService;
  /** Lists, or uses what was seen, and plans again with the same desired records; no password is to be sent again. */
  readonly replan: (seen?: Seen) => Promise<Replan>;
  /** Effects that are known already. */
  readonly told: readonly Effect[];
  /** Requests that a list of all records takes. */
  readonly listRequests: number;
  readonly clock: Clock;
  readonly emit: (event: RunEvent) => void;
  /** Aborted: there is no further look. */
  readonly signal: AbortSignal;
}

/**
 * `done` are the changes that were carried out, `attempted` the domains of all that were to be. Throws only
 * what is a bug.
 */
export async function verify(
  done: readonly Proven[],
  attempted: readonly string[],
  options: ProofOptions,
): Promise<Proof> {
  const { clock, emit, signal } = options;
  const reading = createReading(done, options);
  emit({ type: 'verify_started' });
  try {
    let second = await reading.look(done);
    let judged = judge(done, attempted, second);
    for (const wait of VERIFY_WAITS) {
      if (judged.open.length === 0 || signal.aborted) break;
      emit({ type: 'verify_waiting', open: judged.open.length, milliseconds: wait });
      await clock.sleep(wait, signal);
      const open = judged.open.map((one) => one.done);
      if (reading.lists() && !(await isWorthALook(judged.open, options))) continue;
      second = await reading.look(open);
      judged = judge(done, attempted, second);
    }
    const residual = judged.open.flatMap((open) => open.residual);
    const { others, partial } = judged;
    const effects = await effectsAfter(done, second, options);
    return { converged: residual.length === 0, residual, others, ...(partial ? { partial } : {}), effects };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    const { code, message: reason } = error;
    return { ...UNPROVEN, reason, ...(code === 'key-refused' ? { keyRefused: true } : {}) };
  }
}

/** Looks at what was carried out: record by record, or by the list where that takes fewer requests or alone can tell. */
function createReading(done: readonly Proven[], { service, replan, listRequests }: ProofOptions) {
  const domains = new Set(done.map(({ change }) => change.domain));
  const seen = new Map<Done, readonly Website[]>();
  let lists = !isReadBack(done.length, listRequests);

  async function read(one: Done): Promise<void> {
    const websites = await readBack(one, service);
    if (websites === undefined) lists = true;
    else seen.set(one, websites);
  }

  return {
    lists: () => lists,
    /** Only the records of `open` may show something else than before. */
    async look(open: readonly Done[]): Promise<Replan> {
      if (!lists) await Promise.all(open.map(read));
      if (lists) return withLeftOut(await replan(), done, service);
      const byId = new Map([...seen.values()].flat().map((website) => [website.id, website]));
      const second = await replan({ domains, websites: [...byId.values()] });
      return { ...second, partial: true };
    },
  };
}

async function effectsAfter(
  done: readonly Done[],
  { websites }: Replan,
  { service, told }: ProofOptions,
): Promise<Effects> {
  const byId = new Map(websites.map((website) => [website.id, website]));
  const { read, listed } = service.traits;
  const isListed = (field: FieldName): boolean => listed.has(field);
  await Promise.all(unseenSince(done, byId, isListed).map((one) => lookAgain(one, byId, service)));
  return effectsOf(done, byId, told, (field) => read.has(field), isListed);
}

/** Puts what a record shows by itself into its row in `byId`. Where it cannot be read, the row stays as it is. */
async function lookAgain(
  { change, id }: Done,
  byId: Map<string, Website>,
  service: WebsiteService,
): Promise<void> {
  try {
    const website = await service.read(id);
    const row = byId.get(id);
    if (website === undefined || row === undefined || !isNamed(website, change.domain)) return;
    byId.set(id, { ...row, ...website, settings: { ...row.settings, ...website.settings } });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
}

/**
 * With the pruned records that a list which is not known to be complete left out: nothing but reading them tells that they
 * are gone. Nor does the plan tell then of others that it would delete.
 */
async function withLeftOut(second: Replan, done: readonly Done[], service: WebsiteService): Promise<Replan> {
  const { plan, websites, partial } = second;
  if (plan.complete) return second;
  const listed = new Set(websites.map(({ id }) => id));
  const open = done.filter(({ change, id }) => isPrune(change) && !listed.has(id));
  const found = await Promise.all(open.map(({ id }) => service.read(id)));
  const left = found.filter((website) => website !== undefined);
  return { plan, websites: [...websites, ...left], partial: partial || plan.options.prune !== false };
}

/** A change that does not show yet what it was to make. */
interface Open {
  readonly done: Proven;
  readonly residual: readonly Residual[];
}

function judge(
  done: readonly Proven[],
  attempted: readonly string[],
  { plan, websites, partial = false }: Replan,
) {
  const still = new Map(plan.changes.map((change) => [change.domain, change]));
  for (const domain of calledOtherwise(done, websites)) still.delete(domain);
  const { www } = plan.options;
  const there = formerById(websites, done, www);
  const doubled = doubledBy(done, websites);
  const open = done.flatMap((one): Open[] => {
    const residual = doubled.get(one) ?? residualOf(one, still.get(one.change.domain), there, www);
    if (residual.length === 0) return [];
    return [{ done: one, residual: one.earlier ? residual.map(asEarlier) : residual }];
  });
  return { open, others: countOthers(plan, done, open, attempted), partial };
}

/**
 * Changes of the second plan that this run did not attempt, or had made up for. An orphan is none: the plan names it,
 * and leaves it alone.
 */
function countOthers(
  { changes }: Plan,
  done: readonly Proven[],
  open: readonly Open[],
  attempted: readonly string[],
): number {
  const isOpen = new Set(open.map(({ done: { change } }) => change.domain));
  const shown = new Set(done.map(({ change }) => change.domain).filter((domain) => !isOpen.has(domain)));
  const wasAttempted = new Set(attempted);
  const isOther = ({ domain }: Change): boolean => shown.has(domain) || !wasAttempted.has(domain);
  return changes.filter(isOther).length;
}

/** Creates of earlier runs, which alone knew that the service leaves a leading `www.` out, and which show. */
function calledOtherwise(done: readonly Proven[], websites: readonly Website[]): readonly string[] {
  const created = done.filter(({ change, earlier }) => earlier && change.action === 'create');
  if (created.length === 0) return [];
  const byId = new Map(websites.map((website) => [website.id, website]));
  return created.flatMap(({ change, id }) => {
    const website = byId.get(id);
    const isVariant = website !== undefined && domainKey(website.domain) === wwwVariant(change.domain);
    return isVariant && showsAfter(change, website) ? change.domain : [];
  });
}

/**
 * Creates of which there is more than one record: something on the way sent one twice, or somebody else created the
 * domain at the same moment. A second plan merely warns of it.
 */
function doubledBy(
  done: readonly Done[],
  websites: readonly Website[],
): ReadonlyMap<Done, readonly Residual[]> {
  const created = done.filter(({ change }) => change.action === 'create');
  const doubled = new Map<Done, readonly Residual[]>();
  if (created.length === 0 || !areAnyCalledAlike(created, websites)) return doubled;
  const names = namesOf(created, websites);
  const idsOf = new Map<string, string[]>();
  for (const name of names.values()) idsOf.set(name, []);
  for (const { id, domain } of websites) idsOf.get(domainKey(domain))?.push(id);
  for (const [one, name] of names) {
    const { action, domain } = one.change;
    const ids = idsOf.get(name) ?? [];
    if (ids.length < 2) continue;
    const numbers = ids.map((id) => `#${id}`).join(', ');
    const message = `${name} exists ${ids.length} times (${numbers}): delete all but one on the service`;
    doubled.set(one, [{ action, domain, message }]);
  }
  return doubled;
}

/** Whether two of the records have one name, which is that of what was created, or of its www variant. */
function areAnyCalledAlike(created: readonly Done[], websites: readonly Website[]): boolean {
  const names = new Set(created.flatMap(({ change: { domain } }) => [domain, wwwVariant(domain)]));
  const met = new Set<string>();
  return websites.some(({ domain }) => {
    const name = domainKey(domain);
    if (!names.has(name)) return false;
    const { size } = met;
    return met.add(name).size === size;
  });
}

/** What the service calls what was created: it may have left a leading `www.` out. */
function namesOf(created: readonly Done[], websites: readonly Website[]): ReadonlyMap<Done, string> {
  const names = new Map(created.map((one) => [one, one.change.domain]));
  const byId = new Map(created.map((one) => [one.id, one]));
  for (const { id, domain } of websites) {
    const one = byId.get(id);
    if (one !== undefined && domainKey(domain) === wwwVariant(one.change.domain))
      names.set(one, domainKey(domain));
  }
  return names;
}

/**
 * The records that were there before: a service may give what this run created the id of what it deleted. A
 * second plan names too few of them, since it leaves alone what it takes for another website. Only deletes ask.
 */
function formerById(
  websites: readonly Website[],
  done: readonly Done[],
  www: WwwRule | undefined,
): ReadonlyMap<string, Website> {
  if (!done.some(({ change }) => change.action === 'delete')) return new Map();
  const former = new Map(websites.map((website) => [website.id, website]));
  for (const { change, id } of done) {
    const website = former.get(id);
    // An id that is another website's was not given to this one: the answer told a wrong one.
    if (change.action === 'create' && website && isNamed(website, change.domain, www)) former.delete(id);
  }
  return former;
}

function asEarlier(residual: Residual): Residual {
  return { ...residual, earlier: true };
}

/** What the second plan, by the change it still wants, says about one that the first is done with. */
function residualOf(
  { change, id, earlier }: Proven,
  still: Change | undefined,
  there: ReadonlyMap<string, Website>,
  www: WwwRule | undefined,
): readonly Residual[] {
  const { action, domain } = change;
  if (action === 'delete') {
    const website = there.get(id);
    // An id that is another website's by now was given away again.
    const isThere = website !== undefined && isNamed(website, domain, www);
    return isThere ? [{ action, domain, message: `${domain} still exists` }] : [];
  }
  if (still === undefined) return [];
  if (still.action !== 'update') return [{ action, domain, message: `${domain} does not exist` }];
  const sent = allFields(change);
  const isOurs = (name: string): boolean => action === 'create' || name in sent;
  return Object.entries(still.fields).flatMap(([name, field]): Residual[] => {
    const what = { action, domain, field: name as FieldName };
    if (!isOurs(name)) return [];
    if (isSecretChange(field)) {
      const message =
        name in sent ? `${name} is not as it was sent` : `the service set a ${name} that was not requested`;
      return [{ ...what, message: `${domain}: ${message}` }];
    }
    const shown = field.before === undefined ? {} : { shown: field.before };
    const message = earlier ? `${name} is not as it was sent` : `the service ignored ${name}`;
    return [{ ...what, wanted: field.after, ...shown, message: `${domain}: ${message}` }];
  });
}

/**
 * Whether a list of all records may show more than the last one: where that takes many requests, a few of
 * the records that are open are read first.
 */
async function isWorthALook(open: readonly Open[], options: ProofOptions): Promise<boolean> {
  const { service, listRequests } = options;
  const step = Math.max(1, open.length / SAMPLE);
  const sample = open.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
  if (sample.length >= listRequests) return true;
  const shows = await Promise.all(sample.map((one) => showsNow(one.done, service)));
  return shows.includes(true);
}

async function showsNow({ change, id }: Done, service: WebsiteService): Promise<boolean> {
  try {
    return showsAfter(change, await service.read(id)) === true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
