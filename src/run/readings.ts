import { type Change, type Create, isSecretChange, sentField, type Update } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  READABLE_NAMES,
  type Settings,
  withEmpty,
} from '../model/field-table.ts';
import { strangerRefused } from '../model/identity.ts';
import type { Plan } from '../model/plan.ts';
import type { Done, Effect } from '../model/run.ts';
import { MAX_MATCH_PAGES, type Traits, type WebsiteService } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { sameValue } from '../planner/diff.ts';
import { isNamed, type Names, wwwVariant } from '../planner/match.ts';
import { changedBetween } from '../planner/side-effects.ts';
import { groupBy } from '../util/group-by.ts';
import { inParallel } from '../util/parallel.ts';
import type { RunContext } from './context.ts';
import type { RecordedRun } from './file/read.ts';

export interface WantedFields {
  /** Values that the record showed before. A value that it no longer shows is now empty. */
  readonly before?: Settings;
  /** Set if the service shows the presence of a password. The record must show it again. */
  readonly password_set?: boolean | undefined;
  readonly needs?: (name: FieldName) => boolean;
  /** Also read the record for needed fields that no single record has shown: other records may omit empty values. */
  readonly tries?: boolean;
}

/**
 * Reads a record and its row in a list, each only if it may show values that the other omits. A value that
 * other records show and this one omits is empty. Rejects with `id-mismatch` if they show different domains.
 */
export async function readRecord(
  service: WebsiteService,
  { id, domain }: Pick<Website, 'id' | 'domain'>,
  wanted: WantedFields = {},
  row?: Website,
): Promise<Website | undefined> {
  const { traits } = service;
  const { listed, read } = traits;
  if (row !== undefined && !mayLackValues(row, wanted, traits)) return filled(row, wanted, listed);
  const findRow = async (): Promise<Website | undefined> =>
    row ?? (await service.find(domain)).websites.find((one) => one.id === id);
  const website = await service.read(id);
  if (website === undefined) {
    // A 404 counts only if the service has returned a single record before: not every service can do that.
    const found = read.size > 0 ? undefined : await findRow();
    return found && filled(found, wanted, listed);
  }
  const other = lacks(website, wanted, read, (name) => listed.has(name)) ? await findRow() : row;
  if (other === undefined) return filled(website, wanted, read);
  const name = domainKey(other.domain);
  if (name !== domainKey(website.domain))
    throw strangerRefused({ action: 'update', id, domain: name }, website.domain);
  // A value that the record omits and other single records show is empty, even if a list that lags shows one.
  const settings = { ...other.settings, ...withEmpty(website.settings, [...read]) };
  return filled({ ...other, ...website, settings }, wanted, listed, read);
}

/** True if a row in a list may omit a value that the single record shows. */
function mayLackValues(row: Website, wanted: WantedFields, { listed, read }: Traits): boolean {
  return lacks(row, wanted, listed, (name) => wanted.tries || read.size === 0 || read.has(name));
}

function lacks(
  { settings, passwordSet }: Website,
  { before, password_set, needs }: WantedFields,
  seen: ReadonlySet<FieldName>,
  mayShow: (name: FieldName) => boolean | undefined,
): boolean {
  if (password_set !== undefined && passwordSet === undefined) return true;
  return READABLE_NAMES.some((name) => {
    if (settings[name] !== undefined || seen.has(name)) return false;
    return wasHeld(name, before) || (needs?.(name) && mayShow(name));
  });
}

function filled(website: Website, { before }: WantedFields, ...seen: ReadonlySet<FieldName>[]): Website {
  const { settings } = website;
  const empty = READABLE_NAMES.filter((name) => {
    return settings[name] === undefined && (wasHeld(name, before) || seen.some((one) => one.has(name)));
  });
  return empty.length === 0 ? website : { ...website, settings: withEmpty(settings, empty) };
}

function wasHeld(name: FieldName, { [name]: value }: Settings = {}): boolean {
  return value !== undefined && !sameValue(name, value, FIELDS[name].kind.empty);
}

type Sought = Pick<Done, 'change'> & Partial<Pick<Done, 'id'>>;

export interface Sight {
  readonly website?: Website | undefined;
  readonly others: readonly Website[];
  readonly isCertain: boolean;
}

interface LookOptions<T extends Sought> {
  readonly run: RunContext;
  readonly names: Names;
  readonly wanted: (one: T, isListed: boolean) => WantedFields;
  readonly signal?: AbortSignal;
}

/** True if reading records one by one takes fewer requests than a list, or if no list is available. */
export function isReadBack(changes: number, { complete, cost }: Plan): boolean {
  return !complete || cost.list === null || Math.max(1, changes) < cost.list;
}

export async function lookAt<T extends Sought>(
  some: readonly T[],
  options: LookOptions<T>,
): Promise<ReadonlyMap<T, Sight>> {
  const { run, wanted, signal } = options;
  const { service, parallelism } = run;
  const tried = (one: T): WantedFields => ({ ...wanted(one, true), tries: true });
  const sights = new Map<T, Sight>();
  const each = (items: readonly T[], index?: Index, around = options): Promise<void> =>
    inParallel(
      items,
      parallelism,
      async (one) => {
        sights.set(one, await see(one, around, index));
      },
      signal,
    );
  if (isReadBack(some.length, run.plan)) await each(some);
  const open = some.filter((one) => !(sights.get(one)?.isCertain ?? false));
  if (open.length === 0 || signal?.aborted) return sights;
  const index = await listAll(service);
  const unclear = open.filter((one) => {
    const row = index.byId.get(idOf(one) ?? '');
    if (row === undefined || mayLackValues(row, tried(one), service.traits)) return true;
    const website = filled(row, wanted(one, true), service.traits.listed);
    sights.set(one, {
      website,
      others: namedIn(one, index).filter((other) => other !== row),
      isCertain: true,
    });
    return false;
  });
  // The first record that a list shows incompletely decides if single records show more.
  await each(unclear.slice(0, 1), index, { ...options, wanted: tried });
  await each(unclear.slice(1), index);
  return sights;
}

type Index = Awaited<ReturnType<typeof listAll>>;

async function listAll(service: WebsiteService) {
  const { websites, complete } = await service.list();
  const byName = new Map(groupBy(websites, ({ domain }) => domainKey(domain)));
  return { byId: new Map(websites.map((website) => [website.id, website])), byName, complete };
}

function idOf({ change, id }: Sought): string | undefined {
  return change.action === 'create' ? id : change.id;
}

/** A created record may be missing from a search for a while. It can be read by its ID. */
async function see<T extends Sought>(
  one: T,
  { run: { service }, names, wanted }: LookOptions<T>,
  index?: Index,
): Promise<Sight> {
  const { domain, action } = one.change;
  const isCreate = action === 'create';
  const found = index && listed(one, index);
  const { websites, isCertain } =
    found ?? (isCreate ? await service.find(domain, MAX_MATCH_PAGES) : { websites: [], isCertain: false });
  const id = idOf(one) ?? calledIn(websites, domain, names)?.id;
  const row = websites.find((website) => website.id === id);
  const others = isCreate ? websites.filter((website) => website !== row) : [];
  if (id === undefined || (row === undefined && index?.complete)) return { others, isCertain };
  const website = await readRecord(service, { id, domain }, wanted(one, index !== undefined), row);
  const isOwn = row !== undefined || !isCreate || (website !== undefined && isNamed(website, domain));
  if (isOwn && website !== undefined) return { website, others, isCertain: true };
  return { others, isCertain: isCreate ? isCertain && row === undefined : service.traits.read.size > 0 };
}

function calledIn(websites: readonly Website[], domain: string, names: Names): Website | undefined {
  const named = websites.filter((website) => isNamed(website, domain, names));
  return named.find((website) => domainKey(website.domain) === domain) ?? named[0];
}

/** Returns `undefined` if the list does not decide and a search is needed. */
function listed(one: Sought, index: Index) {
  const { byId, complete } = index;
  const [own, named] = [byId.get(idOf(one) ?? ''), namedIn(one, index)];
  const websites = own === undefined || named.includes(own) ? named : [own, ...named];
  return complete || websites.length > 0 ? { websites, isCertain: complete } : undefined;
}

/** Only for a create, which may have been carried out twice. */
function namedIn({ change: { action, domain } }: Sought, { byName }: Index): readonly Website[] {
  const names = action === 'create' ? [domain, wwwVariant(domain)] : [];
  return names.flatMap((name) => byName.get(name) ?? []);
}

/** Returns the fields that a record shows, and not with the value that was sent. */
export function differingFrom(change: Create | Update, { settings, passwordSet }: Website): FieldName[] {
  return FIELD_NAMES.filter((name) => {
    const [field, shown] = [sentField(change, name), settings[name]];
    if (field === undefined) return false;
    if (isSecretChange(field)) return passwordSet === (field.ref === null);
    return shown !== undefined && !FIELDS[name].kind.equal(field.after, shown);
  });
}

/** A record of another website does not count. Returns `undefined` if the change is only a secret. */
export function showsAfter(change: Change, shown: Website | undefined): boolean | undefined {
  const website = shown && isNamed(shown, change.domain) ? shown : undefined;
  if (change.action === 'delete') return website === undefined;
  if (website === undefined) return false;
  if (change.action === 'create') return differingFrom(change, website).length === 0;
  const visible = changesShown(change, website.settings);
  return visible.length === 0 ? undefined : visible.every(Boolean);
}

export function changesShown({ fields }: Update, settings: Settings): readonly boolean[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const id = name as FieldName;
    return isSecretChange(field) ? [] : sameValue(id, field.after, settings[id]);
  });
}

/** Returns the side effects of a killed run, which could not compare or restore anything. */
export async function effectsOfKilled(
  recorded: RecordedRun,
  service: WebsiteService,
): Promise<readonly Effect[]> {
  const { plan, changes } = recorded;
  const effects: Effect[] = [];
  for (const { change, outcome, shown: before } of changes) {
    if (outcome !== 'unknown' || change.action !== 'update' || before === undefined) continue;
    const website = await readRecord(service, change, { ...change, before: before.settings });
    const isShown = website !== undefined && isNamed(website, change.domain, plan.options);
    if (!isShown) continue;
    const own = changesShown(change, website.settings);
    // Others may have edited some of these settings since, so one value of the update shows that it was carried out.
    if (own.length > 0 && !own.some(Boolean)) continue;
    effects.push(...changedBetween(change, before, website));
  }
  return effects;
}
