import { domainKey } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, withEmpty } from '../model/field-table.ts';
import { refuseSharedIds } from '../model/identity.ts';
import type { Listing, WebsiteService } from '../model/service.ts';
import type { Current, SharedId, Wanted, Website } from '../model/website.ts';
import { isNamed, type Names, namesIn, wwwVariant } from '../planner/match.ts';
import { groupBy } from '../util/group-by.ts';
import type { Client } from './client.ts';
import { isPresence } from './decode.ts';

/**
 * Options of a reading. A record may be stored under the www variant of its domain, except if the service is known to
 * distinguish www variants.
 */
export interface ReadOptions extends Names {
  /** For read-only commands: if an ID is shown for two domains, the result reports it, and no error is thrown. */
  readonly readOnly?: boolean | undefined;
}

type RecordService = WebsiteService & Pick<Client, 'each'>;

/**
 * Completes a list. If it is not complete, searches for each wanted domain (decision: "Only a complete list is
 * believed"). Reads single records only for declared fields that the list does not show, and calls `wanted` only
 * then. Throws ServiceErrors, and `id-mismatch` for an ID that is shown for two domains.
 */
export async function readCurrent(
  service: RecordService,
  { sharedIds: shared, ...listing }: Listing,
  wanted: Iterable<Wanted>,
  options: ReadOptions = {},
): Promise<Current> {
  const { complete } = listing;
  const { wireNames } = service.traits;
  const presenceOnly = FIELD_NAMES.filter((name) => isPresence(name, wireNames[name]));
  const known = { ...listing, knownAbsent: new Set<string>(), hidden: [], presenceOnly };
  const isEnough = complete && listing.websites.every((one) => FIELD_NAMES.every((name) => shows(one, name)));
  if (isEnough) return known;
  const round = startRound(service, listing.websites, options);
  round.meet(shared);
  const own = [...wanted];
  const knownAbsent = complete ? known.knownAbsent : await lookUp(own, round);
  const { gaps, unseen } = await readGaps(own, round);
  // A field that records may omit counts as empty if a value is declared, so that the value is sent once.
  const isFilled = (name: FieldName): boolean => own.some(({ filled = [] }) => filled.includes(name));
  const hidden = unseen.filter((name) => !mayBeOmitted(name, round) || !isFilled(name));
  for (const { id, fields } of gaps) {
    const website = round.found.get(id);
    const shown = fields.filter((name) => !hidden.includes(name));
    if (website) round.found.set(id, { ...website, settings: withEmpty(website.settings, shown) });
  }
  const { found, sharedIds } = round;
  const current = { ...known, websites: [...found.values()], knownAbsent, hidden };
  return sharedIds.length > 0 ? { ...current, complete: false, sharedIds } : current;
}

/**
 * Adds the fields that lists hide to the records of `domains`, because the run file contains each deleted record as a
 * whole.
 */
export async function readWhole(
  service: RecordService,
  current: Current,
  domains: readonly string[],
  options: ReadOptions = {},
): Promise<Current> {
  const round = startRound(service, current.websites, options);
  const whole = domains.map((domain) => ({ domain, fields: FIELD_NAMES }));
  await readGaps(whole, round);
  return { ...current, websites: [...round.found.values()] };
}

/** True if a record shows the value of a field, or the presence of a secret. */
function shows({ settings, passwordSet, unreadable }: Website, name: FieldName): boolean {
  if (FIELDS[name].secret) return passwordSet !== undefined;
  return settings[name] !== undefined || unreadable?.[name] !== undefined;
}

type Round = ReturnType<typeof startRound>;

function startRound(service: RecordService, websites: readonly Website[], { readOnly, ...set }: ReadOptions) {
  const found = new Map(websites.map((website) => [website.id, website]));
  const sharedIds: SharedId[] = [];
  function meet(shared: readonly SharedId[]): void {
    if (!readOnly) refuseSharedIds(shared);
    sharedIds.push(...shared);
  }
  /** Stores `merged` for the record, unless its ID is known for another website. */
  function take(shown: Website, merged = shown): void {
    const { domain } = found.get(shown.id) ?? shown;
    const isOther = domain !== shown.domain && !isNamed(shown, domainKey(domain), namesIn({ websites }, set));
    if (isOther) meet([{ id: shown.id, domains: [domain, shown.domain].map(domainKey) }]);
    else found.set(shown.id, merged);
  }
  return { service, found, meet, take, sharedIds };
}

/** Adds the records of wanted domains; returns the domains that are known to have none. */
async function lookUp(
  wanted: readonly Wanted[],
  { service, found, meet, take }: Round,
): Promise<Set<string>> {
  const absent = new Set<string>();
  const known = new Set([...found.values()].map((website) => domainKey(website.domain)));
  const unknown = wanted.filter(({ domain }) => !known.has(domain));
  await service.each('find', unknown, async ({ domain }) => {
    const { websites, isCertain, sharedIds } = await service.find(domain);
    meet(sharedIds);
    for (const website of websites) take(website, found.get(website.id));
    const isThere = websites.some((website) => domainKey(website.domain) === domain);
    if (isCertain && !isThere) absent.add(domain);
  });
  return absent;
}

interface Gap {
  readonly id: string;
  readonly fields: readonly FieldName[];
}

function findGaps(wanted: readonly Wanted[], found: ReadonlyMap<string, Website>): Gap[] {
  const byDomain = new Map(groupBy([...found.values()], ({ domain }) => domainKey(domain)));
  return wanted.flatMap(({ domain, fields }) => {
    const websites = byDomain.get(domain) ?? byDomain.get(wwwVariant(domain)) ?? [];
    return websites.flatMap((website) => {
      const missing = fields.filter((name) => !shows(website, name));
      return missing.length === 0 ? [] : [{ id: website.id, fields: missing }];
    });
  });
}

/**
 * Reads one record for each missing field. If this record shows the field, or may omit it as empty, reads all records
 * without the field.
 */
async function readGaps(wanted: readonly Wanted[], round: Round) {
  const gaps = findGaps(wanted, round.found);
  const { listed, read } = round.service.traits;
  const done = new Set<string>();
  const readOnce = async ({ id }: Gap): Promise<void> => {
    if (!done.has(id)) await readOne(id, round);
    done.add(id);
  };
  const helpful = new Set<FieldName>();
  const tried = FIELD_NAMES.filter((name) => gaps.some(({ fields }) => fields.includes(name)));
  for (const name of tried) {
    const own = gaps.filter(({ fields }) => fields.includes(name));
    let shown: Website | undefined;
    for (const gap of own) {
      await readOnce(gap);
      shown = round.found.get(gap.id);
      if (shown !== undefined) break;
    }
    if (shown === undefined || shows(shown, name)) helpful.add(name);
  }
  const isUnseen = (name: FieldName): boolean =>
    !helpful.has(name) && !listed.has(name) && !read.has(name) && !FIELDS[name].secret;
  const mayHelp = (name: FieldName): boolean =>
    helpful.has(name) ||
    (read.has(name) && !listed.has(name)) ||
    (isUnseen(name) && mayBeOmitted(name, round));
  const unread = (): Gap[] => gaps.filter(({ id, fields }) => !done.has(id) && fields.some(mayHelp));
  // Repeated, because a record that is read for one field may show another.
  for (let left = unread(); left.length > 0; left = unread())
    await round.service.each('read', left, readOnce);
  return { gaps, unseen: tried.filter(isUnseen) };
}

/** True if a record may omit the field because it is empty. */
function mayBeOmitted(name: FieldName, { service: { traits } }: Round): boolean {
  return FIELDS[name].kind.empty !== undefined && traits.readEmpty.size === 0 && !traits.sent.has(name);
}

/** Merges a single record into its row of the list. Removes the record if it no longer exists. */
async function readOne(id: string, { service, found, take }: Round): Promise<void> {
  const listed = found.get(id);
  let website = await service.read(id);
  // If a 404 alone counted, an existing record could be created again. So a search must not find it either.
  if (website === undefined && listed !== undefined) {
    const { websites } = await service.find(domainKey(listed.domain));
    if (websites.some((one) => one.id === id)) website = (await service.read(id)) ?? listed;
  }
  if (website === undefined) {
    found.delete(id);
    return;
  }
  // Keeps the domain that was searched for, because the service may show its www variant.
  const { domain } = listed ?? website;
  const settings = { ...listed?.settings, ...website.settings };
  take(website, { ...listed, ...website, domain, settings });
}
