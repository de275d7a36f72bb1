/** Lists of domains from elsewhere → records to be added to a configuration, and why the others are not. */
import { domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { normaliseDomain } from '../../model/domain.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Settings } from '../../model/field-table.ts';
import { SWITCH_WORDS } from '../../model/field-types.ts';
import type { ImportReport, ListColumns, Reading, Skipped } from '../../model/import-report.ts';
import { canonicalAddress } from '../../model/ip-address.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { contains, firstOfNoName } from '../../util/look-alikes.ts';
import { withoutLogin, withoutQueries } from '../../util/redact.ts';
import { firstOf } from '../../util/text.ts';
import { type Bulk, type BulkFormat, openBulk } from '../bulk/bulk.ts';
import { type Renames, withoutPrefix } from '../bulk/columns.ts';
import type { BulkRow, RowFault } from '../bulk/rows.ts';
import type { Allowed } from '../files/allowed-paths.ts';
import { decodeText } from '../files/encoding.ts';
import type { ConfigFile } from '../files/files.ts';
import type { Config } from '../load.ts';
import { below, type Inherited, NO_LEVEL } from '../read/groups.ts';
import { createRowReader } from '../read/records.ts';
import { createSource, problemAt, readSource, type Source } from '../read/source.ts';
import { BULK_RECORD_KEYS, SECRET_KEYS } from '../schema/keys.ts';
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
  const readings: Reading[] = [];
  for (const list of lists) {
    const { source, encoding } = decodeList(list);
    const bulk = openBulk(source, list.format, options.renames, true);
    const read = createReader(list, bulk, around, options);
    const left = countLeftOut(bulk);
    for (const row of bulk.rows()) {
      const found = read(row, register);
      left.count(row);
      if ('reason' in found) skipped.push(found);
      else websites.push(found);
    }
    bulks.push(bulk);
    readings.push({ ...readingOf(bulk), encoding, misnamed: left.columns() });
  }
  refuseUnusedNames(options.renames, bulks);
  return {
    websites,
    skipped,
    readings,
    unknownColumns: namedBy(bulks, ({ columns }) => columns.unknown.keys()),
    doubtfulColumns: namedBy(
      bulks.filter(isMostlyInvalid(websites, skipped)),
      ({ columns }) => columns.settings,
    ),
  };
}

/** A list's text. What is not UTF-8 may be in the encoding of older programs of Windows. */
function decodeList({ file: { path }, bytes }: ImportList): { source: Source; encoding?: string } {
  const text = decodeText(bytes);
  if (typeof text === 'string' || text.encoding === undefined) return { source: readSource(path, bytes) };
  return {
    source: createSource(path, new TextDecoder(text.encoding).decode(bytes)),
    encoding: text.encoding,
  };
}

/** So many different values of a column are told apart. */
const MOST_VALUES = 1000;

/** Counts what is in columns that are called as a setting, and ignored. */
function countLeftOut({ columns: { misnamed, namesOf } }: Bulk) {
  const counts = new Map<string, Map<string, number>>();
  const add = (column: string, value: string): void => {
    const values = counts.get(column) ?? new Map<string, number>();
    counts.set(column, values);
    if (values.has(value) || values.size < MOST_VALUES) values.set(value, (values.get(value) ?? 0) + 1);
  };
  return {
    count(row: BulkRow | RowFault): void {
      if (misnamed.size === 0 || 'fault' in row) return;
      for (const [index, name] of (namesOf.get(row.keys) ?? []).entries()) {
        const cell = row.cells[index] ?? '';
        if (misnamed.has(name) && cell !== '') add(name, shownValue(cell));
      }
    },
    columns: () =>
      [...misnamed].map(([column, key]) => {
        const values = [...(counts.get(column) ?? [])].sort(([, a], [, b]) => b - a);
        const expected = `${BULK_RECORD_KEYS[key]?.schema.safeParse({}).error?.issues[0]?.message}${alsoTaken(key)}`;
        return { column, key, expected, values: values.map(([value, count]) => ({ value, count })) };
      }),
  };
}

/** A value as it may be shown: it may be anything. */
function shownValue(value: unknown): string {
  return firstOf(withoutQueries(withoutLogin(String(value))), LONGEST_VALUE);
}

const LONGEST_VALUE = 40;

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

function readingOf({ document: { source }, list, headerAt, columns: { taken } }: Bulk) {
  const columns = [...taken].map(([column, key]) => ({ column, key }));
  const header = headerAt === undefined ? undefined : source.placeAt(headerAt).line;
  return { file: source.name, list, header, taken: columns };
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
      : { reason: 'invalid', message: invalid(row, bulk, error?.message ?? 'not a record') };
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

/** What is wrong with a row, with the column and the value that it is about, if these may be shown. */
function invalid({ keys, cells }: BulkRow, { columns }: Bulk, message: string): string {
  const [, item = '', key = ''] = /^(an item of )?(\w+)\b/.exec(message) ?? [];
  const index = keys.indexOf(key);
  const name = columns.namesOf.get(keys)?.[index];
  if (name === undefined || SECRET_KEYS.includes(key)) return message;
  const what = item === '' ? message.slice(key.length) : `: ${message}`;
  return `${name} ${JSON.stringify(shownValue(cells[index]))}${what}${alsoTaken(key)}`;
}

/** What tables of other programs have for yes and no. */
function alsoTaken(key: string): string {
  return BULK_RECORD_KEYS[key]?.words === SWITCH_WORDS ? ' (or yes, no, on, off, 1, 0)' : '';
}

/** Normalized, so that the short way of reading a row is open to addresses too. */
function withDomain(row: BulkRow, domain: string): BulkRow {
  return { ...row, cells: row.cells.map((cell, index) => (row.keys[index] === 'domain' ? domain : cell)) };
}

function subjectOf(domain: string | WhyNot, text: unknown): string {
  return typeof domain === 'string' ? domain : withoutQueries(withoutLogin(String(text)));
}

/** The domain in a cell, empty where there is none: then the row is told of as a record without one is. */
function domainOf(cell: unknown): string | WhyNot {
  if (typeof cell !== 'string') return '';
  const text = withoutPrefix(cell);
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

/**
 * Whether a domain, A-labels and all, is a public suffix alone (publicsuffix.org), as `co.uk` is. Suffixes that companies
 * made of domains of their own (`github.io`) are websites too and do not count.
 */
function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain;
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
