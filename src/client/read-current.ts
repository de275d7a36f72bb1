/** Reads what there is, as far as the desired records need it known. */
import { domainKey, wwwTwin } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, READABLE_NAMES, withEmpty } from '../model/field-table.ts';
import { type Disputes, disputeOver, disputeText, startDisputes } from '../model/identity.ts';
import type { OnRead, ReadProgress, Traits, WebsiteService } from '../model/service.ts';
import type { Current, Website, WwwRule } from '../model/website.ts';
import { ruleOf } from '../planner/match.ts';
import { inParallel } from './parallel.ts';

/** A desired domain, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Those that are to hold something: such a record is the likeliest to show them. */
  readonly filled?: readonly FieldName[];
}

/** How records are read beside the list. */
export interface ReadOptions {
  /** Requests that are asked for at once, at the most. */
  readonly parallelism: number;
  /** Told how far look-ups and single reads have come. */
  readonly onRead?: OnRead | undefined;
  /** Where the files settle it: unless the two are distinct, a record may go by its www variant. */
  readonly www?: WwwRule | undefined;
}

/** As many records may leave out what is empty before a field counts as shown nowhere. */
const MOST_TRIED = 5;

/**
 * Lists every record; without a complete list, looks up each wanted domain instead
 * (decision: "Only a complete list is believed"). Records are read one by one only where the list does not show a
 * field that is declared for them; `wanted` is asked for only where it leaves something out. A record that shows
 * another domain than the list does shows that there is no such list. Throws what the service throws.
 */
export async function readCurrent(
  service: WebsiteService,
  wanted: Iterable<Wanted>,
  options: ReadOptions,
): Promise<Current> {
  const listing = await service.list();
  const isEnough = listing.complete && listing.websites.every(showsAll);
  const blank = { ...listing, provenAbsent: new Set<string>(), hidden: [] };
  const known = isEnough ? blank : await askOn(blank, startRound(service, blank, wanted, options));
  return { ...known, presenceOnly: presenceOnly(service.traits) };
}

/**
 * `current`, which was read for `wanted`, with all that the service shows of the records of `domains`, as far as lists
 * hide it: what is to be deleted is written down whole. Throws what the service throws.
 */
export async function readWhole(
  service: WebsiteService,
  current: Current,
  domains: readonly string[],
  wanted: Iterable<Wanted>,
  options: ReadOptions,
): Promise<Current> {
  const round = startRound(service, current, wanted, options);
  const whole = domains.map((domain) => ({ domain, fields: READABLE_NAMES }));
  // What none of a few shows may still be lost with another.
  await readGaps(findGaps(whole, round.found.values()), round, 'helps');
  return settled(current, round);
}

function showsAll(website: Website): boolean {
  return FIELD_NAMES.every((name) => shows(website, name));
}

/** Whether a record tells what is known of a field: its value, or of a secret whether one is set. */
function shows({ settings, passwordSet, unreadable }: Website, name: FieldName): boolean {
  if (FIELDS[name].secret) return passwordSet !== undefined;
  return settings[name] !== undefined || unreadable?.[name] !== undefined;
}

/** One reading of what is there, beside the list. */
interface Round {
  readonly service: WebsiteService;
  readonly wanted: readonly Wanted[];
  /** By their ids; none of those that are disputed. */
  readonly found: Map<string, Website>;
  readonly disputes: Disputes;
  readonly each: Each;
}

function startRound(
  service: WebsiteService,
  current: Pick<Current, 'websites' | 'disputed'>,
  wanted: Iterable<Wanted>,
  { parallelism, onRead, www }: ReadOptions,
): Round {
  const disputes = startDisputes(() => ruleOf(current, www));
  disputes.add(current.disputed);
  const found = new Map(current.websites.map((website) => [website.id, website]));
  return { service, wanted: [...wanted], found, disputes, each: inSight(parallelism, onRead) };
}

type Known = Omit<Current, 'presenceOnly'>;

/** What the list leaves open, as far as more requests can tell it. */
async function askOn(current: Known, round: Round): Promise<Known> {
  const provenAbsent = current.complete ? current.provenAbsent : await lookUp(round);
  const hidden = await readMore(round);
  return settled({ ...current, provenAbsent, hidden }, round);
}

/**
 * `current` with what a round found. Where that shows that the list mixes ids up, the list is no evidence: what else is
 * wanted has to be looked up after all.
 */
async function settled<T extends Known>(current: T, round: Round): Promise<T> {
  const { found, disputes } = round;
  if (disputes.all().length === 0) return { ...current, websites: [...found.values()] };
  const more = current.complete
    ? { complete: false, provenAbsent: await lookUp(round), hidden: await readMore(round) }
    : {};
  const disputed = disputes.all();
  const reason = `it shows ${disputeText(disputed)}`;
  return { ...current, ...more, websites: [...found.values()], disputed, reason };
}

/** Runs `task` for each item, as many at once as there may be. */
type Each = <T>(
  what: ReadProgress['what'],
  items: readonly T[],
  task: (item: T) => Promise<void>,
) => Promise<void>;

/** At most `width` at once, telling how far they have come. */
export function inSight(width: number, onRead?: OnRead): Each {
  return async (what, items, task) => {
    const total = items.length;
    let done = 0;
    try {
      await inParallel(items, width, async (item) => {
        await task(item);
        done += 1;
        onRead?.({ what, done, total, ended: false });
      });
    } finally {
      onRead?.({ what, done, total, ended: true });
    }
  };
}

/**
 * Adds to what is found the records of wanted domains; returns the domains that are known to have none. Of one whose id
 * is disputed the list cannot be complete.
 */
async function lookUp(round: Round): Promise<Set<string>> {
  const { service, wanted, found, disputes, each } = round;
  const absent = new Set<string>();
  const known = new Set([...found.values()].map((website) => domainKey(website.domain)));
  for (const { domains } of disputes.all()) for (const domain of domains) known.add(domain);
  const unknown = wanted.filter(({ domain }) => !known.has(domain));
  await each('find', unknown, async ({ domain }) => {
    const { websites, proven, disputed } = await service.find(domain);
    disputes.add(disputed);
    for (const website of websites) take(website, found.get(website.id) ?? website, round);
    for (const { id } of disputed ?? []) found.delete(id);
    const isThere = websites.some((website) => domainKey(website.domain) === domain);
    if (proven && !isThere) absent.add(domain);
  });
  const disputed = disputes.all();
  for (const domain of absent) if (disputeOver(disputed, domain, 'distinct')) absent.delete(domain);
  return absent;
}

/** Keeps a record as `merged` where it is the one that is known by its id; else that id is nobody's. */
function take(shown: Website, merged: Website, { found, disputes }: Round): void {
  if (disputes.agree(found.get(shown.id), shown)) found.set(shown.id, merged);
  else found.delete(shown.id);
}

/** A record that is there, and the declared fields that the list does not show of it. */
interface Gap extends Pick<Wanted, 'fields' | 'filled'> {
  readonly id: string;
}

/**
 * Reads the records whose declared fields the list does not show, once a first one has shown that reading helps.
 * Lays what they show into `found`, takes out what no longer exists, and returns the fields shown nowhere. What is
 * shown of others, and not of a record, is empty.
 */
async function readMore(round: Round): Promise<FieldName[]> {
  const { found } = round;
  const gaps = findGaps(round.wanted, found.values());
  const uses = await readGaps(gaps, round, 'hidden');
  for (const { id, fields } of gaps) {
    const website = found.get(id);
    const shown = fields.filter((name) => uses.get(name) !== 'hidden');
    if (website !== undefined) found.set(id, { ...website, settings: withEmpty(website.settings, shown) });
  }
  return FIELD_NAMES.filter((name) => uses.get(name) === 'hidden');
}

/**
 * Reads what there is to read of `gaps` into what is found; says of each field that they lack what reading is good for,
 * and `doubtful` of one that none of a few shows where it may be left out.
 */
async function readGaps(
  gaps: readonly Gap[],
  round: Round,
  doubtful: Use,
): Promise<ReadonlyMap<FieldName, Use>> {
  const { service, found, each } = round;
  const { read, isRead } = readOnce(round);
  const uses = new Map<FieldName, Use>();
  for (const name of FIELD_NAMES) {
    const open = gaps.filter((gap) => gap.fields.includes(name));
    if (open.length === 0) continue;
    const use = await tryReading(name, likeliest(name, open), service, found, read);
    uses.set(name, use ?? doubtful);
  }
  const helps = ({ fields }: Gap): boolean => fields.some((name) => uses.get(name) === 'helps');
  const unread = (): readonly Gap[] => gaps.filter((gap) => helps(gap) && !isRead(gap));
  do {
    await each('read', unread(), read);
    // What was read for one field may show another, which the first records did not.
    for (const [name, use] of uses) {
      if (use === 'hidden' && service.traits.read.has(name)) uses.set(name, 'helps');
    }
  } while (unread().length > 0);
  return uses;
}

/** Those first that are to hold something. */
function likeliest(name: FieldName, gaps: readonly Gap[]): readonly Gap[] {
  const isFilled = ({ filled = [] }: Gap): boolean => filled.includes(name);
  return [...gaps.filter(isFilled), ...gaps.filter((gap) => !isFilled(gap))];
}

/** Reads records, each once. */
function readOnce(round: Round) {
  const { service, found } = round;
  const done = new Set<string>();
  return {
    isRead: ({ id }: Gap): boolean => done.has(id),
    async read({ id }: Gap): Promise<void> {
      if (done.has(id)) return;
      done.add(id);
      const listed = found.get(id);
      const website = (await service.read(id)) ?? (listed && (await readAgain(listed, service)));
      if (website === undefined) {
        found.delete(id);
        return;
      }
      // It goes by the domain that it was found by: a www variant may be shown in its place.
      const { domain } = listed ?? website;
      const settings = { ...listed?.settings, ...website.settings };
      take(website, { ...listed, ...website, domain, settings }, round);
    },
  };
}

/** A listed record that was not to be read, unless it is gone: whoever took it for that would create it again. */
async function readAgain(listed: Website, service: WebsiteService): Promise<Website | undefined> {
  const { websites } = await service.find(domainKey(listed.domain));
  const isThere = websites.some(({ id }) => id === listed.id);
  return isThere ? ((await service.read(listed.id)) ?? listed) : undefined;
}

/** What reading is good for where the list does not show a field of a record: it may show it, or it is shown nowhere. */
type Use = 'helps' | 'shows no more' | 'hidden';

/**
 * As a first record tells that is there still: whoever no longer exists tells nothing. Where it may leave the field out
 * for holding nothing, a few others are asked; `undefined` where none of them tells.
 */
async function tryReading(
  name: FieldName,
  gaps: readonly Gap[],
  { traits }: WebsiteService,
  found: ReadonlyMap<string, Website>,
  read: (gap: Gap) => Promise<void>,
): Promise<Use | undefined> {
  let tried = 0;
  for (const gap of gaps) {
    await read(gap);
    const website = found.get(gap.id);
    if (website === undefined) continue;
    const use = toldBy(website, name, traits);
    tried += 1;
    if (use !== undefined || tried === MOST_TRIED) return use;
  }
  return tried === 0 ? 'helps' : undefined;
}

/** What a record tells that was read; `undefined` where it may leave the field out for holding nothing. */
function toldBy(website: Website, name: FieldName, { listed, read, readEmpty }: Traits): Use | undefined {
  // Traits are of what can be read back.
  if (listed.has(name) || FIELDS[name].secret) return shows(website, name) ? 'helps' : 'shows no more';
  if (read.has(name)) return 'helps';
  const mayBeLeftOut = FIELDS[name].kind.empty !== undefined && readEmpty.size === 0;
  return mayBeLeftOut ? undefined : 'hidden';
}

function findGaps(wanted: readonly Wanted[], websites: Iterable<Website>): Gap[] {
  const byDomain = new Map([...websites].map((website) => [domainKey(website.domain), website]));
  return wanted.flatMap(({ domain, fields, filled = [] }) => {
    const website = byDomain.get(domain) ?? byDomain.get(wwwTwin(domain));
    if (website === undefined) return [];
    const missing = fields.filter((name) => !shows(website, name));
    return missing.length === 0 ? [] : [{ id: website.id, fields: missing, filled }];
  });
}

/** Fields that this service knows by the name that carries their presence alone. */
function presenceOnly({ wireNames }: Traits): FieldName[] {
  return FIELD_NAMES.filter((name) => {
    const { presenceKey } = FIELDS[name];
    return presenceKey !== undefined && wireNames[name] === presenceKey;
  });
}
