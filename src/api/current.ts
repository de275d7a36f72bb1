/** Reads what there is, as far as the desired records need it known. */
import { domainKey, wwwTwin } from '../core/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, READABLE_NAMES, withEmpty } from '../core/fields.ts';
import type { Listing, OnRead, ReadProgress, Traits, WebsiteService } from '../core/service.ts';
import type { Current, Website } from '../core/website.ts';
import { inParallel } from './parallel.ts';

/** A desired domain, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Those that are to hold something: such a record is the likeliest to show them. */
  readonly filled?: readonly FieldName[];
}

/** As many records may leave out what is empty before a field counts as shown nowhere. */
const MOST_TRIED = 5;

/**
 * Lists every record; without a proven list, looks up each wanted domain instead (design, decision 8). Records
 * are read one by one only where the list does not show a field that is declared for them; `wanted` is asked for
 * only where it leaves something out. At most `parallelism` requests are asked for at once; `onRead` is told how
 * far look-ups and single reads have come. Throws what the service throws.
 */
export async function readCurrent(
  service: WebsiteService,
  wanted: Iterable<Wanted>,
  parallelism: number,
  onRead?: OnRead,
): Promise<Current> {
  const listing = await service.list();
  const isEnough = listing.complete && listing.websites.every(showsAll);
  const known = isEnough
    ? { provenAbsent: new Set<string>(), hidden: [] }
    : await askOn(service, [...wanted], listing, inSight(parallelism, onRead));
  return { ...listing, ...known, presenceOnly: presenceOnly(service.traits) };
}

/**
 * `current` with all that the service shows of the records of `domains`, as far as lists hide it: what is to be
 * deleted is written down whole. Throws what the service throws.
 */
export async function readWhole(
  service: WebsiteService,
  current: Current,
  domains: readonly string[],
  parallelism: number,
  onRead?: OnRead,
): Promise<Current> {
  const found = new Map(current.websites.map((website) => [website.id, website]));
  const wanted = domains.map((domain) => ({ domain, fields: READABLE_NAMES }));
  // What none of a few shows may still be lost with another.
  await readGaps(service, findGaps(wanted, found.values()), found, inSight(parallelism, onRead), 'helps');
  return { ...current, websites: [...found.values()] };
}

function showsAll(website: Website): boolean {
  return FIELD_NAMES.every((name) => shows(website, name));
}

/** Whether a record tells what is known of a field: its value, or of a secret whether one is set. */
function shows({ settings, passwordSet }: Website, name: FieldName): boolean {
  return (FIELDS[name].secret ? passwordSet : settings[name]) !== undefined;
}

/** What the list leaves open, as far as more requests can tell it. */
async function askOn(
  service: WebsiteService,
  wanted: readonly Wanted[],
  { websites, complete }: Listing,
  each: Each,
): Promise<Pick<Current, 'websites' | 'provenAbsent' | 'hidden'>> {
  const found = new Map(websites.map((website) => [website.id, website]));
  const provenAbsent = complete ? new Set<string>() : await lookUp(service, wanted, found, each);
  const hidden = await readMore(service, wanted, found, each);
  return { websites: [...found.values()], provenAbsent, hidden };
}

/** Runs `task` for each item, as many at once as there may be. */
type Each = <T>(
  what: ReadProgress['what'],
  items: readonly T[],
  task: (item: T) => Promise<void>,
) => Promise<void>;

/** At most `width` at once, telling how far they have come. */
function inSight(width: number, onRead?: OnRead): Each {
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

/** Adds to `found` the records of wanted domains; returns the domains that are proven to have none. */
async function lookUp(
  service: WebsiteService,
  wanted: readonly Wanted[],
  found: Map<string, Website>,
  each: Each,
): Promise<Set<string>> {
  const absent = new Set<string>();
  const known = new Set([...found.values()].map((website) => domainKey(website.domain)));
  const unknown = wanted.filter(({ domain }) => !known.has(domain));
  await each('find', unknown, async ({ domain }) => {
    const { websites, proven } = await service.find(domain);
    for (const website of websites) found.set(website.id, website);
    const isThere = websites.some((website) => domainKey(website.domain) === domain);
    if (proven && !isThere) absent.add(domain);
  });
  return absent;
}

/** A record that is there, and the declared fields that the list does not show of it. */
interface Gap extends Pick<Wanted, 'fields' | 'filled'> {
  readonly id: string;
}

/**
 * Reads the records whose declared fields the list does not show, once a first one has shown that reading helps.
 * Lays what they show into `found`, takes out what has vanished, and returns the fields shown nowhere. What is
 * shown of others, and not of a record, is empty.
 */
async function readMore(
  service: WebsiteService,
  wanted: readonly Wanted[],
  found: Map<string, Website>,
  each: Each,
): Promise<FieldName[]> {
  const gaps = findGaps(wanted, found.values());
  const uses = await readGaps(service, gaps, found, each, 'hidden');
  for (const { id, fields } of gaps) {
    const website = found.get(id);
    const shown = fields.filter((name) => uses.get(name) !== 'hidden');
    if (website !== undefined) found.set(id, { ...website, settings: withEmpty(website.settings, shown) });
  }
  return FIELD_NAMES.filter((name) => uses.get(name) === 'hidden');
}

/**
 * Reads what there is to read of `gaps` into `found`; says of each field that they lack what reading is good for,
 * and `doubtful` of one that none of a few shows where it may be left out.
 */
async function readGaps(
  service: WebsiteService,
  gaps: readonly Gap[],
  found: Map<string, Website>,
  each: Each,
  doubtful: Use,
): Promise<ReadonlyMap<FieldName, Use>> {
  const { read, isRead } = readOnce(service, found);
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
function readOnce(service: WebsiteService, found: Map<string, Website>) {
  const done = new Set<string>();
  return {
    isRead: ({ id }: Gap): boolean => done.has(id),
    async read({ id }: Gap): Promise<void> {
      if (done.has(id)) return;
      done.add(id);
      const listed = found.get(id);
      const website = (await service.read(id)) ?? (listed && (await readAgain(listed, service)));
      if (website === undefined) found.delete(id);
      else found.set(id, { ...listed, ...website, settings: { ...listed?.settings, ...website.settings } });
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
 * As a first record tells that is there still: whoever has vanished tells nothing. Where it may leave the field out
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
