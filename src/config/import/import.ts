/** Lists of domains from elsewhere → records to be added to a configuration, and why the others are not. */
import { domainToUnicode } from 'node:url';
import { normaliseDomain } from '../../model/domain.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Settings } from '../../model/field-table.ts';
import type { ImportReport, ListColumns, Reading, Skipped } from '../../model/import-report.ts';
import { canonicalAddress } from '../../model/ip-address.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { contains, firstOfNoName } from '../../util/look-alikes.ts';
import { withoutLogin, withoutQueries } from '../../util/redact.ts';
import { type Bulk, type BulkFormat, openBulk } from '../bulk/bulk.ts';
import type { Renames } from '../bulk/columns.ts';
import { createRowReader } from '../bulk/reader.ts';
import type { BulkRow, RowFault } from '../bulk/rows.ts';
import type { Allowed } from '../files/allowed-paths.ts';
import type { ConfigFile } from '../files/files.ts';
import type { Config } from '../load.ts';
import { below, type Inherited, NO_LEVEL } from '../read/levels.ts';
import { problemAt, readSource } from '../read/source.ts';
import { isPublicSuffix } from './public-suffix.ts';
import { createRegister, type Register, type WhyNot } from './register.ts';
import { listScope } from './settings.ts';

export interface ImportList {
  readonly file: ConfigFile;
  readonly bytes: Uint8Array;
  readonly format: BulkFormat;
}

export interface ImportOptions {
  /** What is declared already; nothing where there is no file yet. */
  readonly config: Pick<Config, 'desired' | 'outermost' | 'groups' | 'pins'> | undefined;
  /** The group that what is imported is put into; its levels hold for the records. */
  readonly group?: string | undefined;
  /** Further names of columns. */
  readonly renames: Renames;
  /** Settings of every record that does not say otherwise, over those of the configuration. */
  readonly settings: Settings;
  /** Where `file:` may lead; paths count from its folder afterwards. */
  readonly sources: Allowed;
}

export interface Imported
  extends Pick<ImportReport, 'skipped' | 'readings' | 'unknownColumns' | 'doubtfulColumns'> {
  /** In the order of the lists. */
  readonly websites: readonly DesiredWebsite[];
}

/**
 * Reads lists. Throws `config-invalid` for one that cannot be read at all, and `usage` where a column was
 * renamed that none of them has.
 */
export function importLists(lists: readonly ImportList[], options: ImportOptions): Imported {
  const around = surroundings(options);
  const register = createRegister(options.config);
  const websites: DesiredWebsite[] = [];
  const skipped: Skipped[] = [];
  const bulks: Bulk[] = [];
  for (const list of lists) {
    const source = readSource(list.file.path, list.bytes);
    const bulk = openBulk(source, list.format, options.renames, true);
    const read = createReader(list, bulk, around, options);
    for (const row of bulk.rows()) {
      const found = read(row, register);
      if ('reason' in found) skipped.push(found);
      else websites.push(found);
    }
    bulks.push(bulk);
  }
  refuseUnusedNames(options.renames, bulks);
  return {
    websites,
    skipped,
    readings: bulks.map(readingOf),
    unknownColumns: namedBy(bulks, ({ columns }) => columns.unknown.keys()),
    doubtfulColumns: namedBy(
      bulks.filter(isMostlyInvalid(websites, skipped)),
      ({ columns }) => columns.settings,
    ),
  };
}

/** What holds for the records, unless they say otherwise. */
export function surroundings({
  config,
  group,
  settings,
}: Pick<ImportOptions, 'config' | 'group' | 'settings'>): Inherited {
  const own = group === undefined ? config?.outermost : config?.groups.get(group)?.inherited;
  const outer = own ?? NO_LEVEL;
  return below(outer, { settings, failed: new Set() }, outer.group);
}

function readingOf({ document, list, columns: { taken, misnamed } }: Bulk): Reading {
  const pairs = (names: ReadonlyMap<string, string>) => [...names].map(([column, key]) => ({ column, key }));
  return { file: document.source.name, list, taken: pairs(taken), misnamed: pairs(misnamed) };
}

/** Columns of each list that has such. */
function namedBy(bulks: readonly Bulk[], namesOf: (bulk: Bulk) => Iterable<string>): readonly ListColumns[] {
  return bulks
    .map((bulk) => ({ file: bulk.document.source.name, names: [...namesOf(bulk)] }))
    .filter(({ names }) => names.length > 0);
}

/** Whether more lines of a list are not valid than are taken: what it means by a column may be another thing. */
function isMostlyInvalid(
  websites: readonly DesiredWebsite[],
  skipped: readonly Skipped[],
): (bulk: Bulk) => boolean {
  return ({ document: { source } }) => {
    const invalid = skipped.filter(({ place, reason }) => reason === 'invalid' && place.file === source.name);
    return invalid.length > websites.filter((website) => website.source.file === source.name).length;
  };
}

function refuseUnusedNames(renames: Renames, bulks: readonly Bulk[]): void {
  for (const name of renames.keys()) {
    if (bulks.some(({ columns }) => columns.renamed.has(name))) continue;
    throw new WebsitesError('usage', `No list has a column ${JSON.stringify(name)}.`, {
      remedy: 'Write the name before = in --map as it is in the first line of the list.',
    });
  }
}

/** A function that reads a row: what is in the way of its domain, then of its settings. */
function createReader(list: ImportList, bulk: Bulk, around: Inherited, { config, sources }: ImportOptions) {
  const { document } = bulk;
  const scope = listScope(list.file, document, sources);
  const readRow = createRowReader(scope, around, config?.groups ?? new Map());
  const readValid = (row: BulkRow): DesiredWebsite | WhyNot => {
    scope.problems.length = 0;
    const website = readRow(row);
    const error = scope.problems.find(({ severity }) => severity === 'error');
    if (website !== undefined && website.group !== around.group)
      return { reason: 'invalid', message: `it is in the group ${website.group}: import it with --group` };
    return website !== undefined && error === undefined
      ? website
      : { reason: 'invalid', message: error?.message ?? 'not a record' };
  };
  return (row: BulkRow | RowFault, register: Register): DesiredWebsite | Skipped => {
    const place = document.source.placeAt(row.start);
    if ('fault' in row) {
      if (row.fatal) throw unreadable(bulk, row);
      return { place, subject: '', reason: 'invalid', message: row.fault.message };
    }
    const text = row.cells[row.keys.indexOf('domain')];
    const domain = domainOf(text);
    const named = typeof domain === 'string' ? (register.why(domain, place) ?? domain) : domain;
    const website = typeof named === 'string' ? readValid(withDomain(row, named)) : named;
    if ('reason' in website) return { place, subject: subjectOf(domain, text), ...website };
    register.take(website.domain, place);
    return website;
  };
}

/** Normalized, so that the short way of reading a row is open to addresses too. */
function withDomain(row: BulkRow, domain: string): BulkRow {
  return { ...row, cells: row.cells.map((cell, index) => (row.keys[index] === 'domain' ? domain : cell)) };
}

function subjectOf(domain: string | WhyNot, text: unknown): string {
  return typeof domain === 'string' ? domain : withoutQueries(withoutLogin(String(text)));
}

/** The domain in a cell, empty where there is none: then the row is told of as a record without one is. */
function domainOf(text: unknown): string | WhyNot {
  if (typeof text !== 'string') return '';
  if (isAddress(text)) return IP_ADDRESS;
  const normalised = normaliseDomain(text);
  if ('reason' in normalised)
    return { reason: 'not_a_domain', message: `not a domain: ${normalised.reason}` };
  const { domain, kind } = normalised;
  if (kind === 'ip') return IP_ADDRESS;
  if (kind === 'label') return { reason: 'not_a_domain', message: 'not a domain: it has no dot' };
  // They can be encoded as letters can.
  const oddity = domain.includes('xn--') ? firstOfNoName(domainToUnicode(domain)) : undefined;
  if (oddity !== undefined)
    return { reason: 'not_a_domain', message: `not a domain: decoded, ${contains(oddity)}` };
  if (!isPublicSuffix(domain)) return domain;
  return { reason: 'public_suffix', message: 'a public suffix alone, under which others register domains' };
}

const IP_ADDRESS: WhyNot = { reason: 'ip_address', message: 'an IP address, not a domain' };

/** Bare, or in brackets as addresses of version 6 stand in a URL. */
function isAddress(text: string): boolean {
  const bare = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?\[([^\]]*)\]/i.exec(text)?.[1] ?? text;
  return bare.includes(':') && canonicalAddress(bare) !== undefined;
}

const WAYS_OUT: Readonly<Record<Exclude<RowFault['fatal'], false>, string | undefined>> = {
  columns:
    'Pass --map "COLUMN=domain" if a column has another name, --map "COLUMN=" to skip one, or --from-format for another format.',
  format: 'Pass --from-format if the list has another format.',
  list: 'Pass --map "LIST=domain", with the name of the list to import.',
  // The value can hold the end of another record, whichever column it is in: it has to be fixed itself.
  quotes: undefined,
};

function unreadable({ document }: Bulk, { start, fault, fatal }: RowFault): WebsitesError {
  const { source } = document;
  const problem = problemAt(source, document.locate([start]), fault, document.hidden);
  return new WebsitesError('config-invalid', `${source.name} cannot be read.`, {
    problems: [problem],
    remedy: fatal === false ? undefined : WAYS_OUT[fatal],
  });
}
