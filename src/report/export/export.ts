/** Converts current records to a file whose plan is empty (decision: "An export has an empty plan"). */
import { compareDomains, domainKey, matcher, normaliseDomain, whyNoPattern } from '../../model/domain.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  type Settings,
  type SettingsDraft,
  withEmpty,
} from '../../model/field-table.ts';
import { isEmpty, type Value } from '../../model/field-types.ts';
import { isSecretRef } from '../../model/secret.ts';
import type { Current, Desired, Website } from '../../model/website.ts';
import { type Duplicate, matchWebsites, type Names } from '../../planner/match.ts';
import { groupBy } from '../../util/group-by.ts';
import { whyUnwritable } from './yaml.ts';

export interface ExportedWebsite {
  readonly domain: string;
  /** All values that can be written, including empty ones. A password is a reference to an environment variable. */
  readonly settings: Settings;
  readonly undeclared: readonly Undeclared[];
}

/** A value that is missing in the file. The reason continues the sentence "FIELD …". */
export interface Undeclared {
  readonly field: FieldName;
  /** Missing for a secret. */
  readonly value?: Value;
  readonly reason: string;
}

/** A record that the file cannot list. Without a pattern to ignore it, it stays an orphan. */
export interface Unlisted {
  readonly domain: string;
  readonly reason: string;
  readonly pattern?: string | undefined;
}

export interface Exported {
  readonly websites: readonly ExportedWebsite[];
  readonly unlisted: readonly Unlisted[];
  /** Domains with several records. Only the first record is exported. */
  readonly duplicates: readonly Duplicate[];
  readonly hidden: readonly FieldName[];
  /** Number of records that the files declare. */
  readonly declared: number;
}

interface Files {
  readonly desired: Desired;
  readonly defaults: Settings;
  readonly pins: Names;
}

const NO_FILES: Files = { desired: { websites: [], ignore: [], protected: [] }, defaults: {}, pins: {} };

/**
 * Exports the records that no file declares or ignores. Omits values that the loader would reject or that `current`
 * does not show. Omits a record if defaults of the files would replace such a value.
 */
export function exportOf(current: Current, { desired, defaults, pins }: Files = NO_FILES): Exported {
  const { pairs, orphans, duplicates: all } = matchWebsites(desired, current, pins);
  const declared = new Set(pairs.flatMap(({ website }) => website?.id ?? []));
  const duplicates = all.filter(({ ids: [id = ''] }) => !declared.has(id));
  const first = new Set(duplicates.map(({ ids: [id] }) => id));
  const records = [...orphans, ...current.websites.filter(({ id }) => first.has(id))]
    .map((website) => ({ domain: domainKey(website.domain), website }))
    .sort((a, b) => compareDomains(a.domain, b.domain));
  const variableOf = variableNames(desired);
  const websites: ExportedWebsite[] = [];
  const unlisted: Unlisted[] = [];
  for (const { domain, website } of records) {
    const normalised = normaliseDomain(domain);
    if ('reason' in normalised) {
      const pattern = patternFor(domain, records);
      unlisted.push({ domain, reason: normalised.reason, pattern });
      continue;
    }
    const { settings, undeclared } = declarable(website, current.presenceOnly);
    const replaced = undeclared.find((one) => isReplaced(one, defaults));
    if (replaced !== undefined) {
      const { field, reason } = replaced;
      const why = `its ${field} ${reason}, and the defaults of the file would replace it`;
      unlisted.push({ domain, reason: why });
    } else {
      // Keeps a password that is or may be set, because an update sends it along.
      if (settings.privacy === PRIVACY.password)
        settings.password = website.passwordSet === false ? null : { env: variableOf(domain) };
      websites.push({ domain, settings, undeclared });
    }
  }
  for (const { id, unreadable } of current.unnamed ?? []) {
    unlisted.push({ domain: `#${id}`, reason: `its domain is ${unreadable?.domain}` });
  }
  const hidden = hiddenIn(current.websites);
  return { websites, unlisted, duplicates, hidden, declared: declared.size };
}

function declarable(
  { settings: shown, unreadable = {}, passwordSet }: Website,
  presenceOnly: Current['presenceOnly'],
) {
  const settings: SettingsDraft = {};
  const undeclared: Undeclared[] = [];
  for (const field of FIELD_NAMES) {
    const [own, holds] = [shown[field], unreadable[field]];
    if (holds !== undefined)
      undeclared.push({ field, reason: `cannot be read: the service returned ${holds}` });
    if (own === undefined) continue;
    // The service may show only that a time is set, and not the time itself.
    const value = typeof own === 'string' && presenceOnly.includes(field) ? true : own;
    const reason = isEmpty(value) ? undefined : whyUnwritable(field, value);
    if (reason === undefined) settings[field] = value;
    else undeclared.push({ field, value, reason });
  }
  if (passwordSet === true && settings.privacy !== PRIVACY.password)
    undeclared.push({ field: 'password', reason: 'is set, but only used with privacy: password' });
  return { settings, undeclared };
}

/**
 * Returns true if a default would set the undeclared value. A default password applies only to records that need it,
 * and exported records declare their own. A default of `null` applies to all.
 */
function isReplaced({ field }: Undeclared, defaults: Settings): boolean {
  return FIELDS[field].secret ? defaults[field] === null : defaults[field] !== undefined;
}

/** Returns the settings that no record shows. */
export function hiddenIn(websites: readonly Website[]): FieldName[] {
  const shows = ({ settings, unreadable }: Website, name: FieldName): boolean =>
    settings[name] !== undefined || unreadable?.[name] !== undefined;
  return websites.length === 0
    ? []
    : READABLE_NAMES.filter((name) => !websites.some((website) => shows(website, name)));
}

/**
 * Returns the default settings: a value of more than half of the records, otherwise the empty value. Only fields that
 * every record shows have a default, because a record cannot remove a default. A favorite is never a default.
 */
export function commonSettings(websites: readonly Pick<ExportedWebsite, 'settings'>[]): Settings {
  if (websites.length === 0) return {};
  const shown = READABLE_NAMES.filter((name) =>
    websites.every(({ settings }) => settings[name] !== undefined),
  );
  const common = shown.flatMap((name) => {
    if (FIELDS[name].presenceKey !== undefined) return [];
    const values = websites.map(({ settings }) => settings[name] ?? null);
    const alike = groupBy(values, (value) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value));
    const most = alike.find(([, same]) => same.length > 1 && same.length > websites.length / 2);
    return most === undefined ? [] : [[name, most[1][0]]];
  });
  return withEmpty(Object.fromEntries(common), shown);
}

/** A pattern with more stars matches too much, and takes long. */
const MAX_STARS = 2;

/**
 * Returns a pattern that matches `domain` and none of `others`, or `undefined`. It is the domain with `*` for
 * characters that are not valid in a domain. Without such characters, it gets a `*` that matches nothing: without
 * it, the domain is not a valid pattern.
 */
function patternFor(domain: string, others: readonly { readonly domain: string }[]): string | undefined {
  const text = domain.replace(/[^a-z0-9._-]+/g, '*');
  const cuts = Array.from(`${text} `, (_, at) => `${text.slice(0, at)}*${text.slice(at)}`);
  return [text, ...cuts].find((pattern) => {
    const pieces = pattern.split('*');
    const isTooWide = pieces.join('') === '' || pieces.length - 1 > MAX_STARS;
    if (isTooWide || whyNoPattern(pattern) !== undefined) return false;
    const covers = matcher([pattern]);
    return covers(domain) && !others.some((other) => other.domain !== domain && covers(other.domain));
  });
}

/**
 * Returns unique names such as PASSWORD_SHOP_EXAMPLE_COM. A hyphen becomes two underscores, so that the name depends
 * only on the domain, and the next export uses it again. Names that are still equal, or that the files use, get a
 * number.
 */
function variableNames({ websites }: Desired): (domain: string) => string {
  const passwords = websites.map(({ settings }) => settings.password);
  const taken = new Set(passwords.flatMap((one) => (isSecretRef(one) && 'env' in one ? one.env : [])));
  return (domain) => {
    const words = domain.toUpperCase().replaceAll('-', '__');
    const plain = `PASSWORD_${words.replace(/[^A-Z0-9]/g, '_')}`;
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}__${number}`;
    taken.add(name);
    return name;
  };
}
