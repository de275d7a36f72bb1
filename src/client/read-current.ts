/** Reads the records of a service, as far as the desired records need them known. */
import { domainKey, isNamed, wwwVariant } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, READABLE_NAMES, withEmpty } from '../model/field-table.ts';
import { refuseSharedIds } from '../model/identity.ts';
import type { OnRead, ReadProgress, Traits, WebsiteService } from '../model/service.ts';
import type { Current, Website, WwwRule } from '../model/website.ts';
import { ruleOf } from '../planner/match.ts';
import { inParallel } from './parallel.ts';

/** A desired domain, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Those that are declared with a value: such a record should show them. */
  readonly filled?: readonly FieldName[];
}

export interface ReadOptions {
  /** Requests that are asked for at once, at the most. */
  readonly parallelism: number;
  /** Called with how far look-ups and single reads have come. */
  readonly onRead?: OnRead | undefined;
  /** If the files settle it: unless the two are distinct, a record may go by its www variant. */
  readonly www?: WwwRule | undefined;
}

/**
 * Lists every record; without a complete list, looks up each wanted domain instead (decision: "Only a complete list is
 * believed"). Reads single records only if the list does not show a field that is declared for them; `wanted` is asked
 * for only then. Throws what the service throws, and `id-mismatch` for an id that is shown for two domains.
 */
export async function readCurrent(
  service: WebsiteService,
  wanted: Iterable<Wanted>,
  options: ReadOptions,
): Promise<Current> {
  const { sharedIds, ...listing } = await service.list();
  refuseSharedIds(sharedIds);
  const isEnough = listing.complete && listing.websites.every(showsAll);
  const more = isEnough ? { provenAbsent: new Set<string>(), hidden: [] } : await readOn();
  return { ...listing, ...more, presenceOnly: presenceOnly(service.traits) };

  async function readOn(): Promise<Pick<Current, 'websites' | 'provenAbsent' | 'hidden'>> {
    const round = startRound(service, listing.websites, options);
    const own = [...wanted];
    const provenAbsent = listing.complete ? new Set<string>() : await lookUp(own, round);
    const gaps = findGaps(own, round.found);
    const uses = await readGaps(gaps, round, false);
    // A field that a reading should show and does not is taken for empty, and sent once.
    const mayBeEmpty = (name: FieldName): boolean => own.some(({ filled = [] }) => filled.includes(name));
    const hidden = FIELD_NAMES.filter(
      (name) => uses.get(name) === 'hidden' || (uses.get(name) === 'omitted' && !mayBeEmpty(name)),
    );
    for (const { id, fields } of gaps) {
      const website = round.found.get(id);
      const shown = fields.filter((name) => !hidden.includes(name));
      if (website) round.found.set(id, { ...website, settings: withEmpty(website.settings, shown) });
    }
    return { websites: [...round.found.values()], provenAbsent, hidden };
  }
}

/**
 * `current` with all that the service shows of the records of `domains`, as far as lists hide it: a record that is to be
 * deleted is written down whole. Throws as readCurrent does.
 */
export async function readWhole(
  service: WebsiteService,
  current: Current,
  domains: readonly string[],
  options: ReadOptions,
): Promise<Current> {
  const round = startRound(service, current.websites, options);
  const whole = domains.map((domain) => ({ domain, fields: READABLE_NAMES }));
  await readGaps(findGaps(whole, round.found), round, true);
  return { ...current, websites: [...round.found.values()] };
}

function showsAll(website: Website): boolean {
  return FIELD_NAMES.every((name) => shows(website, name));
}

/** If a record shows what is known of a field: its value, or of a secret that one is set. */
function shows({ settings, passwordSet, unreadable }: Website, name: FieldName): boolean {
  if (FIELDS[name].secret) return passwordSet !== undefined;
  return settings[name] !== undefined || unreadable?.[name] !== undefined;
}

/** One reading, beside the list. */
interface Round {
  readonly service: WebsiteService;
  /** By their ids. */
  readonly found: Map<string, Website>;
  readonly each: Each;
  /** Keeps a record that was shown, as `merged`. Throws `id-mismatch` if its id is known for another website. */
  take(shown: Website, merged?: Website): void;
}

function startRound(
  service: WebsiteService,
  websites: readonly Website[],
  { parallelism, onRead, www }: ReadOptions,
): Round {
  const found = new Map(websites.map((website) => [website.id, website]));
  return {
    service,
    found,
    each: inSight(parallelism, onRead),
    take(shown, merged = shown) {
      const { domain } = found.get(shown.id) ?? shown;
      const isOther =
        domain !== shown.domain && !isNamed(shown, domainKey(domain), ruleOf({ websites }, www));
      if (isOther) refuseSharedIds([{ id: shown.id, domains: [domain, shown.domain].map(domainKey) }]);
      found.set(shown.id, merged);
    },
  };
}

/** Runs `task` for each item, as many at once as there may be. */
type Each = <T>(
  what: ReadProgress['what'],
  items: readonly T[],
  task: (item: T) => Promise<void>,
) => Promise<void>;

/** At most `width` at once, with a report of each that is done. */
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

/** Adds the records of wanted domains to those found; returns the domains that are known to have none. */
async function lookUp(wanted: readonly Wanted[], round: Round): Promise<Set<string>> {
  const { service, found, each, take } = round;
  const absent = new Set<string>();
  const known = new Set([...found.values()].map((website) => domainKey(website.domain)));
  const unknown = wanted.filter(({ domain }) => !known.has(domain));
  await each('find', unknown, async ({ domain }) => {
    const { websites, proven, sharedIds } = await service.find(domain);
    refuseSharedIds(sharedIds);
    for (const website of websites) take(website, found.get(website.id));
    const isThere = websites.some((website) => domainKey(website.domain) === domain);
    if (proven && !isThere) absent.add(domain);
  });
  return absent;
}

/** A record that is there, and the declared fields that the list does not show of it. */
interface Gap extends Pick<Wanted, 'fields' | 'filled'> {
  readonly id: string;
}

function findGaps(wanted: readonly Wanted[], found: ReadonlyMap<string, Website>): Gap[] {
  const byDomain = new Map([...found.values()].map((website) => [domainKey(website.domain), website]));
  return wanted.flatMap(({ domain, fields, filled = [] }) => {
    const website = byDomain.get(domain) ?? byDomain.get(wwwVariant(domain));
    if (website === undefined) return [];
    const missing = fields.filter((name) => !shows(website, name));
    return missing.length === 0 ? [] : [{ id: website.id, fields: missing, filled }];
  });
}

/**
 * The use of reading records for a field that the list does not show of them: it shows it; it shows no more than the
 * list; it shows it nowhere; or the record that was read leaves it out, perhaps because it is empty.
 */
type Use = 'helps' | 'shows no more' | 'hidden' | 'omitted';

/** Reads one record for each field that gaps lack, and all others if that helps, or if `readsAll` and it may. */
async function readGaps(
  gaps: readonly Gap[],
  round: Round,
  readsAll: boolean,
): Promise<ReadonlyMap<FieldName, Use>> {
  const { traits } = round.service;
  const uses = new Map<FieldName, Use>();
  const done = new Set<string>();
  const read = async ({ id }: Gap): Promise<void> => {
    if (!done.has(id)) await readOne(id, round);
    done.add(id);
  };
  for (const name of FIELD_NAMES) {
    const open = gaps.filter((gap) => gap.fields.includes(name));
    if (open.length > 0) uses.set(name, await tryOne(name, open, round, read));
  }
  const mayHelp = ({ fields }: Gap): boolean =>
    fields.some((name) => uses.get(name) === 'helps' || (readsAll && uses.get(name) === 'omitted'));
  const unread = (): readonly Gap[] => gaps.filter((gap) => !done.has(gap.id) && mayHelp(gap));
  do {
    await round.each('read', unread(), read);
    // A record that was read for one field may show another, which the first records did not.
    for (const [name, use] of uses) {
      if (use !== 'shows no more' && traits.read.has(name)) uses.set(name, 'helps');
    }
  } while (unread().length > 0);
  return uses;
}

/** Reads the first record that is still there; those first that should show a value. */
async function tryOne(
  name: FieldName,
  gaps: readonly Gap[],
  { service, found }: Round,
  read: (gap: Gap) => Promise<void>,
): Promise<Use> {
  const isFilled = ({ filled = [] }: Gap): boolean => filled.includes(name);
  for (const gap of [...gaps.filter(isFilled), ...gaps.filter((one) => !isFilled(one))]) {
    await read(gap);
    const website = found.get(gap.id);
    if (website === undefined) continue;
    const use = useOf(website, name, service.traits);
    return use;
  }
  return 'helps';
}

function useOf(website: Website, name: FieldName, { listed, read, readEmpty, sent }: Traits): Use {
  if (listed.has(name) || FIELDS[name].secret) return shows(website, name) ? 'helps' : 'shows no more';
  if (read.has(name)) return 'helps';
  const mayBeOmitted = FIELDS[name].kind.empty !== undefined && readEmpty.size === 0 && !sent.has(name);
  return mayBeOmitted ? 'omitted' : 'hidden';
}

/** Lays what a single record shows over what the list shows of it; a record that no longer exists is taken out. */
async function readOne(id: string, { service, found, take }: Round): Promise<void> {
  const listed = found.get(id);
  const website = (await service.read(id)) ?? (listed && (await readAgain(listed, service)));
  if (website === undefined) {
    found.delete(id);
    return;
  }
  // It goes by the domain that it was found by: a www variant may be shown in its place.
  const { domain } = listed ?? website;
  const settings = { ...listed?.settings, ...website.settings };
  take(website, { ...listed, ...website, domain, settings });
}

/** A listed record that is not found by its id, unless it is gone: whoever believed that would create it again. */
async function readAgain(listed: Website, service: WebsiteService): Promise<Website | undefined> {
  const { websites } = await service.find(domainKey(listed.domain));
  const isThere = websites.some(({ id }) => id === listed.id);
  return isThere ? ((await service.read(listed.id)) ?? listed) : undefined;
}

/** Fields that this service knows by the name that carries their presence alone. */
function presenceOnly({ wireNames }: Traits): FieldName[] {
  return FIELD_NAMES.filter((name) => {
    const { presenceKey } = FIELDS[name];
    return presenceKey !== undefined && wireNames[name] === presenceKey;
  });
}
