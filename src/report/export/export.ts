/**
 * Current records → what a file has to declare so that its plan is empty (decision: "An export has an empty plan").
 */
import { compareDomains, domainKey, normaliseDomain } from '../../model/domain.ts';
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
import type { Current, Website } from '../../model/website.ts';
import { type Duplicate, matchWebsites } from '../../planner/match.ts';
import { patternFor } from './ignore.ts';
import { whyUnwritable } from './values.ts';
import { variableNames } from './variables.ts';

/** A record as a file declares it. */
export interface ExportedWebsite {
  readonly domain: string;
  /** Every value that can be written, empty ones included; a password is a reference to a variable. */
  readonly settings: Settings;
}

/** What whoever takes over the file has to know. */
export interface ExportReport {
  /** Passwords that stand as references to variables, which are to be set before one is sent. */
  readonly placeholders: readonly { readonly domain: string; readonly variable: string }[];
  /** Values that the file does not hold; the reason ends the sentence "FIELD …". */
  readonly undeclared: readonly Undeclared[];
  /** Records whose domain a file cannot list; those without a pattern stay orphans. */
  readonly unlisted: readonly Unlisted[];
  /** Domains with several records: the first record is the one that is listed. */
  readonly duplicates: readonly Duplicate[];
  /** Fields that no record shows. */
  readonly hidden: readonly FieldName[];
}

export interface Undeclared {
  readonly domain: string;
  readonly field: FieldName;
  /** Missing for what must not be shown. */
  readonly value?: Value;
  readonly reason: string;
}

export interface Unlisted {
  readonly domain: string;
  readonly reason: string;
  /** What stands for it under `ignore`. */
  readonly pattern?: string;
}

export interface Exported {
  /** By domain. */
  readonly websites: readonly ExportedWebsite[];
  /** Patterns. */
  readonly ignore: readonly string[];
  readonly report: ExportReport;
}

/**
 * What a file has to hold so that its plan against `current` is empty. Values that the loader would refuse are left
 * undeclared; so is what `current` does not show. Variables that are `used` are those of other passwords.
 */
export function exportOf(current: Current, used: readonly string[] = []): Exported {
  const { records, duplicates } = distinctRecords(current);
  const variableOf = variableNames(used);
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
  /** The identity of the record's domain. */
  readonly domain: string;
  readonly website: Website;
}

/** One record a domain, by domain: of several the one that a plan would compare, as the planner tells it. */
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

/** On a service that knows presence alone, a time is no more than that. */
function presentable(settings: Settings, presenceOnly: readonly FieldName[]): Settings {
  const timed = presenceOnly.filter((name) => typeof settings[name] === 'string');
  return timed.length === 0
    ? settings
    : { ...settings, ...Object.fromEntries(timed.map((name) => [name, true])) };
}

type Fault = Omit<Undeclared, 'domain'>;

function unreadableOf({ unreadable = {} }: Website): Fault[] {
  return FIELD_NAMES.flatMap((field) => {
    const holds = unreadable[field];
    return holds === undefined ? [] : [{ field, reason: `cannot be read: the service returned ${holds}` }];
  });
}

function faultsOf(settings: Settings): Fault[] {
  return FIELD_NAMES.flatMap((field): Fault[] => {
    const value = settings[field];
    if (value === undefined || isEmpty(value)) return [];
    const reason = whyUnwritable(field, value);
    return reason === undefined ? [] : [{ field, value, reason }];
  });
}

function without(settings: Settings, faults: readonly Fault[]): Settings {
  if (faults.length === 0) return settings;
  const bad = new Set<string>(faults.map(({ field }) => field));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !bad.has(name)));
}

const IDLE: Fault = { field: 'password', reason: 'is set, but only used with privacy: password' };

/** A password that is set, or may be, is kept with the record: an update sends it along. */
function passwordOf({ passwordSet }: Website, settings: Settings): 'none' | 'idle' | 'referenced' {
  if (settings.privacy !== PRIVACY.password) return passwordSet === true ? 'idle' : 'none';
  return passwordSet === false ? 'none' : 'referenced';
}

function hiddenFields(websites: readonly Website[]): FieldName[] {
  if (websites.length === 0) return [];
  return READABLE_NAMES.filter((name) => websites.every(({ settings }) => settings[name] === undefined));
}

/**
 * What is worth a default: values of more than half of the records, or else the empty value, of fields that every
 * record shows, since a record cannot undeclare a default. A favorite is singled out by nature and never a default.
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

/** The value that more than half of the records have, found in two passes and no memory (Boyer and Moore). */
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
