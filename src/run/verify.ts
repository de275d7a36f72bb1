/**
 * The verification (decision: "Every apply ends with a verification"): each change that was carried out is compared with
 * its record, read again; a service that shows a write a moment later gets a bounded wait.
 */
import { allFields, type Change, isSecretChange } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { type FieldName, READABLE_NAMES, type Settings, withEmpty } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Done, Effect, LastShown, Residual, Result, RunEvent, Shows } from '../model/run.ts';
import { MOST_MATCH_PAGES, ServiceError, type Traits, type WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { desiredOf } from '../planner/desired-of-plan.ts';
import { compareWebsite } from '../planner/diff.ts';
import { isNamed, type Names } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import type { Clock } from '../util/clock.ts';
import { leftIn } from './create.ts';

/** How long to wait before each further look, in milliseconds. */
const WAITS = [250, 500, 1000, 2000] as const;

/** What a result says of it, and more. */
export interface Verification extends Pick<Result, 'converged' | 'residual' | 'unverified'> {
  /** Why it could not be verified, if so. */
  readonly reason?: string;
  /** It is that the service refused the key. */
  readonly keyRefused?: true;
  /** Settings that updates were not to change, and that differ from the reading before them. */
  readonly sideEffects?: readonly Effect[];
  /** Those that differ from the reading after them: others changed them. */
  readonly meanwhile?: readonly Effect[];
  /** What records of creates show of which their answers did not. */
  readonly left?: ReadonlyMap<Change, Shows>;
}

/** The service was not looked at. */
export const UNVERIFIED: Verification = { converged: null, residual: [] };

export interface VerifyOptions {
  readonly service: WebsiteService;
  /** Requests that a list of all records takes. */
  readonly listRequests: number;
  /** How a domain and its other name relate, as far as that is settled. */
  readonly names: Names;
  readonly clock: Clock;
  readonly emit: (event: RunEvent) => void;
  /** Aborted: there is no further look. */
  readonly signal: AbortSignal;
}

/** The records that there are of a change, by its own name or its id. */
type Records = ReadonlyMap<Done, readonly Website[]>;

/** `done` are the changes that were carried out. Throws only what is a bug. */
export async function verify(done: readonly Done[], options: VerifyOptions): Promise<Verification> {
  const { clock, emit, signal } = options;
  const records = new Map<Done, readonly Website[]>();
  const residualOf = (one: Done): readonly Residual[] => compare(one, records.get(one) ?? [], options.names);
  emit({ type: 'verify_started' });
  try {
    await look(done, options, records);
    let open = done.filter((one) => residualOf(one).length > 0);
    for (const wait of WAITS) {
      if (open.length === 0 || signal.aborted) break;
      emit({ type: 'verify_waiting', open: open.length, milliseconds: wait });
      await clock.sleep(wait, signal);
      await look(open, options, records);
      open = open.filter((one) => residualOf(one).length > 0);
    }
    const residual = open.flatMap(residualOf);
    return {
      converged: residual.length === 0,
      residual,
      ...effectsOn(done, records),
      left: leftBy(done, records),
    };
  } catch (error) {
    if (!(error instanceof WebsitesError)) throw error;
    const { code, message: reason } = error;
    return { ...UNVERIFIED, reason, ...(code === 'key-refused' ? { keyRefused: true } : {}) };
  }
}

/** Whether reading so many records one by one takes fewer requests than a list. */
export function isReadBack(changes: number, listRequests: number): boolean {
  return Math.max(1, changes) < listRequests;
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

/** Reads the records of `open` one by one, or by a list where that takes fewer requests or alone can tell. */
async function look(
  open: readonly Done[],
  { service, listRequests }: VerifyOptions,
  records: Map<Done, readonly Website[]>,
): Promise<void> {
  const unread: Done[] = [];
  const read = async (one: Done): Promise<void> => {
    const found = await readBack(one, service);
    if (found === undefined) unread.push(one);
    else records.set(one, found);
  };
  if (isReadBack(open.length, listRequests)) await Promise.all(open.map(read));
  else unread.push(...open);
  if (unread.length > 0) await lookByList(unread, service, records);
}

async function lookByList(
  open: readonly Done[],
  service: WebsiteService,
  records: Map<Done, readonly Website[]>,
): Promise<void> {
  const { websites, complete } = await service.list();
  const byId = new Map(websites.map((website) => [website.id, website]));
  const byName = new Map<string, Website[]>();
  for (const website of websites) {
    const name = domainKey(website.domain);
    byName.set(name, [...(byName.get(name) ?? []), website]);
  }
  const hidden: Done[] = [];
  for (const one of open) {
    const { action, domain } = one.change;
    const own = byId.get(one.id);
    const names = new Set([domain, domainKey(own?.domain ?? domain)]);
    const alike = action === 'create' ? [...names].flatMap((name) => byName.get(name) ?? []) : [];
    const found = new Set(own === undefined ? alike : [own, ...alike]);
    records.set(
      one,
      [...found].map((website) => listed(website, service.traits)),
    );
    const isHidden = own === undefined ? found.size === 0 && !complete : hides(own, one, service.traits);
    if (isHidden) hidden.push(one);
  }
  await readHidden(hidden, service, records);
}

/** What lists hide is read from single records, unless the first of them shows that these do not have it either. */
async function readHidden(
  hidden: readonly Done[],
  service: WebsiteService,
  records: Map<Done, readonly Website[]>,
): Promise<void> {
  const read = async (one: Done): Promise<void> => {
    const rows = records.get(one) ?? [];
    const row = rows.find(({ id }) => id === one.id);
    if (row !== undefined && !hides(row, one, service.traits)) return;
    const website = await service.read(one.id);
    if (website === undefined) return;
    const others = rows.filter((other) => other !== row);
    records.set(one, [whole(merged(row, website), service.traits), ...others]);
  };
  const [first, ...rest] = hidden;
  if (first !== undefined) await read(first);
  await Promise.all(rest.map(read));
}

function merged(row: Website | undefined, website: Website): Website {
  return { ...row, ...website, settings: { ...row?.settings, ...website.settings } };
}

/** What others show, and this record does not, is empty. */
function whole(website: Website, { listed, read }: Traits): Website {
  const shown = READABLE_NAMES.filter((name) => listed.has(name) || read.has(name));
  return { ...website, settings: withEmpty(website.settings, shown) };
}

function listed(website: Website, { listed }: Traits): Website {
  return { ...website, settings: withEmpty(website.settings, [...listed]) };
}

/** Whether the row of a list leaves out what the change sent, or was not to change, and a single record may show it. */
function hides({ settings }: Website, { change, last }: Done, { listed, read }: Traits): boolean {
  const names = [...sentNames(change), ...(last?.isAfter === false ? namesIn(last.settings) : [])];
  return names.some(
    (name) => settings[name] === undefined && !listed.has(name) && (read.size === 0 || read.has(name)),
  );
}

/** The settings that a change gave a value that can be seen. */
function sentNames(change: Change): readonly FieldName[] {
  if (change.action === 'delete') return [];
  return Object.entries(allFields(change)).flatMap(([name, field]) =>
    isSecretChange(field) || isEmpty(field.after) ? [] : (name as FieldName),
  );
}

function namesIn(settings: Settings): readonly FieldName[] {
  return Object.keys(settings) as FieldName[];
}

/** The records of a change; `undefined` where only a list tells. Rejects with a ServiceError. */
async function readBack(done: Done, service: WebsiteService): Promise<readonly Website[] | undefined> {
  const { change, id } = done;
  const { traits } = service;
  if (change.action === 'create') return readCreated(done, service);
  const website = await service.read(id);
  if (change.action === 'delete') {
    if (website !== undefined) return [website];
    return traits.read.size > 0 ? [] : undefined;
  }
  const names = [...sentNames(change), ...namesIn(change.before)];
  const isHidden = names.some((name) => traits.listed.has(name) && website?.settings[name] === undefined);
  if (website !== undefined && !isHidden) return [whole(website, traits)];
  const { websites } = await service.find(change.domain, MOST_MATCH_PAGES);
  const row = websites.find((one) => one.id === id);
  if (website !== undefined) return [whole(merged(row, website), traits)];
  return row === undefined ? undefined : [listed(row, traits)];
}

/** A second copy is there under the same name. What a search does not find yet, or hides, may be read by its ID. */
async function readCreated(done: Done, service: WebsiteService): Promise<readonly Website[] | undefined> {
  const { change, id } = done;
  const { websites, proven } = await service.find(change.domain, MOST_MATCH_PAGES);
  if (!proven) return undefined;
  const row = websites.find((website) => website.id === id);
  const others = websites
    .filter((website) => website !== row)
    .map((website) => listed(website, service.traits));
  if (row !== undefined && !hides(row, done, service.traits)) return [listed(row, service.traits), ...others];
  const own = await service.read(id);
  const isOwn = own !== undefined && isNamed(own, change.domain);
  if (isOwn) return [whole(merged(row, own), service.traits), ...others];
  return row === undefined ? others : [listed(row, service.traits), ...others];
}

/** What does not show of a change. An id that is another website's by now was given away again. */
function compare({ change, id }: Done, records: readonly Website[], names: Names): readonly Residual[] {
  const { action, domain } = change;
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

/** What became of settings that updates were not to change, since their records were read last. */
function effectsOn(
  done: readonly Done[],
  records: Records,
): Pick<Verification, 'sideEffects' | 'meanwhile' | 'unverified'> {
  const sideEffects: Effect[] = [];
  const meanwhile: Effect[] = [];
  const unseen = new Map<FieldName, number>();
  for (const one of done) {
    const { change, id, last } = one;
    const now = records.get(one)?.find((website) => website.id === id);
    if (change.action !== 'update' || last === undefined || now === undefined) continue;
    (last.isAfter ? meanwhile : sideEffects).push(...changedBetween(change, last.declared, last, now));
    for (const field of unseenIn(last, now)) unseen.set(field, (unseen.get(field) ?? 0) + 1);
  }
  const unverified = [...unseen].map(([field, count]) => ({ field, records: count }));
  return { sideEffects, meanwhile, ...(unverified.length === 0 ? {} : { unverified }) };
}

/** What the records of creates show, where that is more than their answers showed. */
function leftBy(done: readonly Done[], records: Records): ReadonlyMap<Change, Shows> {
  const left = new Map<Change, Shows>();
  for (const one of done) {
    const now = records.get(one)?.find((website) => website.id === one.id);
    if (one.change.action !== 'create' || now === undefined) continue;
    const shown = leftIn(one.change, now);
    const isKnown = namesIn(shown.settings).every((name) => one.left?.settings[name] !== undefined);
    const isSetKnown = shown.passwordSet === undefined || one.left?.passwordSet !== undefined;
    if (!isKnown || !isSetKnown) left.set(one.change, shown);
  }
  return left;
}

/** Settings that no reading after the write shows. */
function unseenIn({ isAfter, declared, settings }: LastShown, now: Website): readonly FieldName[] {
  if (isAfter) return [];
  return namesIn(settings).filter((name) => !declared.includes(name) && now.settings[name] === undefined);
}
