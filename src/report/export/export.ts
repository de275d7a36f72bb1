/** Current records → a file whose plan is empty (decision: "An export has an empty plan"). */
import { compareDomains, domainKey, matcher, normaliseDomain } from '../../model/domain.ts';
import {
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  PRIVACY,
  READABLE_NAMES,
  type Settings,
  withEmpty,
} from '../../model/field-table.ts';
import { isEmpty, type Value } from '../../model/field-types.ts';
import { isSecretRef } from '../../model/secret.ts';
import type { Current, Desired, Website } from '../../model/website.ts';
import { type Duplicate, matchWebsites } from '../../planner/match.ts';
import { whyUnwritable } from './values.ts';

export interface ExportedWebsite {
  readonly domain: string;
  /** Every value that can be written, empty ones included; a password is a reference to a variable. */
  readonly settings: Settings;
}

export interface ExportReport {
  /** Passwords written as references to variables, which must be set before a password is sent. */
  readonly placeholders: readonly { readonly domain: string; readonly variable: string }[];
  /** Values missing from the file; the reason ends the sentence "FIELD …". */
  readonly undeclared: readonly Undeclared[];
  /** Records whose domain a file cannot list; those without a pattern stay orphans. */
  readonly unlisted: readonly Unlisted[];
  /** Domains with several records, of which the first is listed. */
  readonly duplicates: readonly Duplicate[];
  readonly hidden: readonly FieldName[];
}

export interface Undeclared {
  readonly domain: string;
  readonly field: FieldName;
  /** Missing for secrets. */
  readonly value?: Value;
  readonly reason: string;
}

export interface Unlisted {
  readonly domain: string;
  readonly reason: string;
  readonly pattern?: string;
}

export interface Exported {
  readonly websites: readonly ExportedWebsite[];
  readonly ignore: readonly string[];
  readonly report: ExportReport;
}

/**
 * Declares all that makes the plan against `current` empty. Omits values that the loader would reject or that
 * `current` does not show. Does not reuse the variables of passwords in `files`.
 */
export function exportOf(current: Current, files?: Desired): Exported {
  const { records, duplicates } = distinctRecords(current);
  const variableOf = variableNames(files);
  const websites: ExportedWebsite[] = [];
  const placeholders: { domain: string; variable: string }[] = [];
  const undeclared: Undeclared[] = [];
  const unlisted: Unlisted[] = [];
  for (const { domain, website } of records) {
    const normalised = normaliseDomain(domain);
    if ('reason' in normalised) {
      const pattern = patternFor(domain, records);
      unlisted.push({ domain, reason: normalised.reason, ...(pattern === undefined ? {} : { pattern }) });
      continue;
    }
    const shown = presentable(website.settings, current.presenceOnly);
    const faults = faultsOf(shown);
    const settings = without(shown, faults);
    const password = passwordOf(website, settings);
    if (password === 'idle') faults.push(IDLE);
    faults.push(...unreadableOf(website));
    undeclared.push(...faults.map((fault) => ({ domain, ...fault })));
    if (password === 'referenced') {
      const variable = variableOf(domain);
      placeholders.push({ domain, variable });
      websites.push({ domain, settings: { ...settings, password: { env: variable } } });
    } else websites.push({ domain, settings });
  }
  for (const { id, unreadable } of current.unnamed ?? []) {
    unlisted.push({ domain: `#${id}`, reason: `its domain is ${unreadable?.domain}` });
  }
  return {
    websites,
    ignore: [...new Set(unlisted.flatMap(({ pattern }) => pattern ?? []))],
    report: { placeholders, undeclared, unlisted, duplicates, hidden: hiddenFields(current.websites) },
  };
}

interface Keyed {
  readonly domain: string;
  readonly website: Website;
}

/** Returns one record per domain, by domain: of several, the one that the planner would compare. */
function distinctRecords(current: Current): { records: Keyed[]; duplicates: readonly Duplicate[] } {
  const nothing = { websites: [], ignore: [], protected: [] };
  const { orphans, duplicates } = matchWebsites(nothing, current);
  const byId = new Map(
    duplicates.length === 0 ? [] : current.websites.map((website) => [website.id, website]),
  );
  const firsts = duplicates.flatMap(({ ids: [id = ''] }) => byId.get(id) ?? []);
  const records = [...orphans, ...firsts].map((website) => ({ domain: domainKey(website.domain), website }));
  return { records: records.sort((a, b) => compareDomains(a.domain, b.domain)), duplicates };
}

/** Reduces a time to presence if the service knows no more. */
function presentable(settings: Settings, presenceOnly: readonly FieldName[]): Settings {
  const timed = presenceOnly.filter((name) => typeof settings[name] === 'string');
  return timed.length === 0
    ? settings
    : { ...settings, ...Object.fromEntries(timed.map((name) => [name, true])) };
}

type UndeclaredField = Omit<Undeclared, 'domain'>;

function unreadableOf({ unreadable = {} }: Website): UndeclaredField[] {
  return FIELD_NAMES.flatMap((field) => {
    const holds = unreadable[field];
    return holds === undefined ? [] : [{ field, reason: `cannot be read: the service returned ${holds}` }];
  });
}

function faultsOf(settings: Settings): UndeclaredField[] {
  return FIELD_NAMES.flatMap((field): UndeclaredField[] => {
    const value = settings[field];
    if (value === undefined || isEmpty(value)) return [];
    const reason = whyUnwritable(field, value);
    return reason === undefined ? [] : [{ field, value, reason }];
  });
}

function without(settings: Settings, faults: readonly UndeclaredField[]): Settings {
  if (faults.length === 0) return settings;
  const bad = new Set<string>(faults.map(({ field }) => field));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !bad.has(name)));
}

const IDLE: UndeclaredField = { field: 'password', reason: 'is set, but only used with privacy: password' };

/** A password that is or may be set stays with the record, because an update sends it along. */
function passwordOf({ passwordSet }: Website, settings: Settings): 'none' | 'idle' | 'referenced' {
  if (settings.privacy !== PRIVACY.password) return passwordSet === true ? 'idle' : 'none';
  return passwordSet === false ? 'none' : 'referenced';
}

function hiddenFields(websites: readonly Website[]): FieldName[] {
  if (websites.length === 0) return [];
  return READABLE_NAMES.filter((name) => websites.every(({ settings }) => settings[name] === undefined));
}

/**
 * Returns values of more than half of the records, or else the empty value. Only fields that every record
 * shows count, because a record cannot undeclare a default. A favorite is never a default.
 */
export function commonSettings(websites: readonly ExportedWebsite[]): Settings {
  if (websites.length === 0) return {};
  const shown = READABLE_NAMES.filter((name) =>
    websites.every(({ settings }) => settings[name] !== undefined),
  );
  const common = shown.flatMap((name) => {
    const value = FIELDS[name].presenceKey === undefined ? majority(websites, name) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return withEmpty(Object.fromEntries(common), shown);
}

/** Takes two passes without memory (Boyer and Moore). */
function majority(websites: readonly ExportedWebsite[], name: FieldName): Value | undefined {
  const { equal } = FIELDS[name].kind;
  let candidate: Value = null;
  let lead = 0;
  for (const { settings } of websites) {
    const value = settings[name] ?? null;
    if (lead === 0) candidate = value;
    lead += equal(candidate, value) ? 1 : -1;
  }
  const holders = websites.filter(({ settings }) => equal(candidate, settings[name] ?? null)).length;
  return holders > 1 && holders > websites.length / 2 ? candidate : undefined;
}

/** More stars cover too much, and take long to match. */
const MAX_STARS = 2;

type Others = readonly { readonly domain: string }[];

/**
 * Returns a pattern that covers `domain` and none of `others`, or `undefined`. It is the domain with `*` for
 * characters that no domain can contain, or for nothing, since a file requires a `*` in a pattern.
 */
function patternFor(domain: string, others: Others): string | undefined {
  return candidates(domain.replace(/[^a-z0-9._-]+/g, '*')).find(
    (pattern) => isPattern(pattern) && coversAlone(pattern, domain, others),
  );
}

function candidates(text: string): readonly string[] {
  return [
    text,
    ...Array.from({ length: text.length + 1 }, (_, at) => `${text.slice(0, at)}*${text.slice(at)}`),
  ];
}

function isPattern(pattern: string): boolean {
  const pieces = pattern.split('*');
  if (pieces.join('') === '' || pieces.length - 1 > MAX_STARS) return false;
  const example = normaliseDomain(pieces.join('x'));
  return 'domain' in example && example.dropped.length === 0;
}

function coversAlone(pattern: string, domain: string, others: Others): boolean {
  const covers = matcher([pattern]);
  return covers(domain) && !others.some((other) => other.domain !== domain && covers(other.domain));
}

/**
 * Makes unique names such as PASSWORD_SHOP_EXAMPLE_COM. A hyphen becomes two underscores, so that the name
 * depends on the domain alone and the next export repeats it. Names that still collide, also with those in
 * `files`, get a number.
 */
function variableNames(files: Desired | undefined): (domain: string) => string {
  const passwords = files?.websites.map(({ settings }) => settings.password) ?? [];
  const taken = new Set(passwords.flatMap((one) => (isSecretRef(one) && 'env' in one ? one.env : [])));
  return (domain) => {
    const plain = `PASSWORD_${domain
      .toUpperCase()
      .replaceAll('-', '__')
      .replace(/[^A-Z0-9]/g, '_')}`;
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}__${number}`;
    taken.add(name);
    return name;
  };
}
