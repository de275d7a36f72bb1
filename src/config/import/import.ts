/** Converts lists of domains to new records, and collects the reasons for skipped lines. */
import { join } from 'node:path';
import { domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { matcher, normaliseDomain } from '../../model/domain.ts';
import { type Place, WebsitesError } from '../../model/errors.ts';
import type { Settings } from '../../model/field-table.ts';
import { SWITCH_WORDS } from '../../model/field-types.ts';
import type { ListReading, Skipped } from '../../model/import-report.ts';
import { canonicalAddress } from '../../model/ip-address.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { otherOf, withOtherNames } from '../../planner/match.ts';
import { groupBy } from '../../util/group-by.ts';
import { contains, firstOfNoName } from '../../util/look-alikes.ts';
import { redacted } from '../../util/redact.ts';
import { cutText } from '../../util/text.ts';
import { type Bulk, type BulkFormat, openBulk } from '../bulk/bulk.ts';
import { type Column, plainName, type Renames, withoutPrefix } from '../bulk/columns.ts';
import { createRowReader } from '../bulk/row-reader.ts';
import { type BulkRow, mappingOf, type RowFault } from '../bulk/rows.ts';
import { decodeText } from '../files/encoding.ts';
import type { ConfigFile } from '../files/files.ts';
import type { Allowed } from '../files/paths.ts';
import type { Config } from '../load.ts';
import type { Inherited } from '../read/records.ts';
import {
  createSource,
  type ParsedDocument,
  problemAt,
  readSource,
  type Scope,
  Spot,
} from '../read/source.ts';
import { readSettings } from '../read/validate.ts';
import { BULK_RECORD_KEYS, SECRET_KEYS } from '../schema/keys.ts';

export interface ImportList {
  readonly file: ConfigFile;
  readonly bytes: Uint8Array;
  readonly format: BulkFormat;
}

export interface ImportOptions {
  readonly config: Pick<Config, 'desired' | 'outermost' | 'groups' | 'pins'> | undefined;
  readonly around: Inherited;
  readonly renames: Renames;
  readonly sources: Allowed;
}

export interface Imported {
  readonly websites: DesiredWebsite[];
  readonly skipped: Skipped[];
  readonly readings: ListReading[];
}

/** Throws `config-invalid` for a list that cannot be read, and `usage` for a renamed column that no list has. */
export function importLists(lists: readonly ImportList[], options: ImportOptions): Imported {
  const register = createRegister(options.config);
  const imported: Imported = { websites: [], skipped: [], readings: [] };
  const names = lists.flatMap((list) => importList(list, register, options, imported));
  for (const name of options.renames.keys()) {
    if (names.includes(name)) continue;
    throw new WebsitesError('usage', `No list has the column ${JSON.stringify(name)} of --map.`, {
      remedy: 'Pass --map COLUMN=KEY with COLUMN spelled as in the first line of the list.',
    });
  }
  return imported;
}

function importList(
  list: ImportList,
  register: Register,
  options: ImportOptions,
  { websites, skipped, readings }: Imported,
): string[] {
  const { path } = list.file;
  const text = decodeText(list.bytes);
  const encoding = typeof text === 'string' ? undefined : text.encoding;
  // A list that is not UTF-8 may be in an old encoding of Windows.
  const source =
    encoding === undefined
      ? readSource(path, list.bytes)
      : createSource(path, new TextDecoder(encoding).decode(list.bytes));
  const bulk = openBulk(source, list.format, options.renames, true);
  const read = createReader(list, bulk, options);
  for (const row of bulk.rows()) {
    const found = read(row, register);
    if ('reason' in found) skipped.push(found);
    else websites.push(found);
  }
  const { seen, unknown } = bulk.columns;
  const namesOf = (columns: readonly Column[]): string[] => columns.map(({ name }) => name);
  readings.push({
    file: source.name,
    list: bulk.list,
    taken: seen.flatMap(({ name, key }) => (key === undefined ? [] : [{ column: name, key }])),
    header: bulk.headerAt === undefined ? undefined : source.placeAt(bulk.headerAt).line,
    encoding,
    misnamed: seen.flatMap((column) => misnamedColumn(bulk, column)),
    unknown: namesOf(unknown),
  });
  return [bulk.list ?? '', ...namesOf(seen)].map(plainName);
}

const MAX_VALUES = 1000;

/** Describes a column that is named like a setting and has no valid value, with its values by frequency. */
function misnamedColumn(bulk: Bulk, { name, misnamed: key }: Column): ListReading['misnamed'] {
  if (key === undefined) return [];
  const texts = Array.from(bulk.rows(), (row) =>
    'fault' in row ? '' : shownValue(row.cells[row.shape.names.indexOf(name)] ?? ''),
  );
  const values = groupBy(texts.filter(Boolean), (text) => text)
    .map(([value, { length: count }]) => ({ value, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_VALUES);
  const expected = `${BULK_RECORD_KEYS[key]?.schema.safeParse({}).error?.issues[0]?.message}${alsoTaken(key)}`;
  return [{ column: name, key, expected, values }];
}

function shownValue(value: unknown): string {
  return cutText(redacted(String(value)), MAX_VALUE);
}

const MAX_VALUE = 40;

function createReader(list: ImportList, bulk: Bulk, { config, around, sources }: ImportOptions) {
  const { document } = bulk;
  const scope = listScope(list.file, document, sources);
  const { readRow } = createRowReader(scope, around, config?.groups ?? new Map());
  const readValid = (row: BulkRow): DesiredWebsite | string => {
    scope.problems.length = 0;
    const website = readRow(row);
    const error = scope.problems.find(({ severity }) => severity === 'error');
    if (website === undefined || error !== undefined) return invalid(row, error?.message ?? 'not a record');
    if (website.group === around.group) return website;
    return `it is in the group ${website.group}: import it with --group`;
  };
  return (row: BulkRow | RowFault, register: Register): DesiredWebsite | Skipped => {
    const place = document.source.placeAt(row.start);
    if ('fault' in row) {
      if (row.fatal) throw unreadable(bulk, row);
      return { place, subject: '', reason: 'invalid', message: row.fault.message };
    }
    const index = row.shape.keys.indexOf('domain');
    const found = register.read(row.cells[index], place);
    if (typeof found !== 'string') return { place, ...found };
    const { start, shape, cells } = row;
    const own = cells.map((cell, at) => (at === index ? found : cell));
    // Without `rest`, which other columns make different for each row.
    const website = readValid({ start, shape, cells: own });
    if (typeof website === 'string') return { place, subject: found, reason: 'invalid', message: website };
    register.take(website.domain, place);
    return website;
  };
}

function invalid({ shape, cells }: BulkRow, message: string): string {
  const [, item = '', key = ''] = /^(an item of )?(\w+)\b/.exec(message) ?? [];
  const index = shape.keys.indexOf(key);
  const name = shape.names[index];
  if (name === undefined || SECRET_KEYS.includes(key)) return message;
  const what = item === '' ? message.slice(key.length) : `: ${message}`;
  return `${name} ${JSON.stringify(shownValue(cells[index]))}${what}${alsoTaken(key)}`;
}

function alsoTaken(key: string): string {
  return BULK_RECORD_KEYS[key]?.words === SWITCH_WORDS ? ' (or yes, no, on, off, 1, 0)' : '';
}

const OTHER_LAYOUT =
  'Pass --map "NAME=domain" if the column or the list of the domains has another name, --map "COLUMN=" to skip a column, or --from-format for another format.';

function unreadable({ document }: Bulk, { start, fault, fatal }: RowFault): WebsitesError {
  const { source } = document;
  const problem = problemAt(source, document.locate([start]), fault, document.hidden);
  return new WebsitesError('config-invalid', `${source.name} cannot be read.`, {
    problems: [problem],
    remedy: fatal === 'layout' ? OTHER_LAYOUT : undefined,
  });
}

/** Returns the scope of a file in which variables are not replaced. */
function listScope(file: ConfigFile, document: ParsedDocument, sources: Allowed): Scope {
  return {
    file,
    document,
    secrets: { sources, book: { literals: new Map(), places: new Map() } },
    variables: { env: {}, secretNames: new Set() },
    problems: [],
  };
}

/**
 * Reads settings that are written like cells of a bulk file. Relative paths start from `cwd`. Throws `usage`; the
 * error contains no secret.
 */
export function readImportSettings(
  texts: ReadonlyMap<string, string>,
  cwd: string,
  sources: Allowed,
): Settings {
  const map = mappingOf([...texts.keys()], [...texts.values()]);
  const { document } = openBulk(createSource('', ''), 'text', new Map());
  const scope = listScope({ path: '--default', absolute: join(cwd, '--default') }, document, sources);
  const settings = readSettings(new Spot(scope, [0]), map);
  const error = scope.problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return settings;
  throw new WebsitesError('usage', `--default: ${error.message}.`, { remedy: error.remedy });
}

type WhyNot = Pick<Skipped, 'reason' | 'message'>;

export type Register = ReturnType<typeof createRegister>;

export function createRegister(config: Pick<Config, 'desired' | 'pins'> | undefined) {
  const known = new Map<string, WhyNot & { readonly place: Place }>();
  for (const { domain, source } of config?.desired.websites ?? []) {
    known.set(domain, { place: source, reason: 'declared', message: 'already declared in' });
  }
  const isIgnored = matcher(withOtherNames(config?.desired.ignore ?? [], config?.pins));
  const isInScope = matcher(config?.desired.scope ?? ['*']);
  const why = (domain: string, place: Place): WhyNot | undefined => {
    const there = known.get(domain);
    if (there !== undefined)
      return { reason: there.reason, message: `${there.message} ${lineOf(there.place, place)}` };
    const other = known.get(otherOf(domain, config?.pins) ?? '');
    if (other !== undefined)
      return { reason: 'www_variant', message: `www variant of ${lineOf(other.place, place)}` };
    if (isIgnored(domain)) return { reason: 'ignored', message: 'covered by a pattern under "ignore"' };
    return isInScope(domain) ? undefined : { reason: 'ignored', message: 'outside of "scope"' };
  };
  return {
    read(cell: unknown, place: Place): string | (WhyNot & Pick<Skipped, 'subject'>) {
      const domain = domainOf(cell);
      if (typeof domain !== 'string') return { subject: redacted(String(cell)), ...domain };
      const reason = why(domain, place);
      return reason === undefined ? domain : { subject: domain, ...reason };
    },
    take: (domain: string, place: Place) =>
      known.set(domain, { place, reason: 'duplicate', message: 'duplicate of' }),
  };
}

function lineOf({ file, line }: Place, from: Place): string {
  return file === from.file ? `line ${line}` : `${file}:${line}`;
}

/** Returns the domain in a cell. An empty text is later reported as a record without a domain. */
function domainOf(cell: unknown): string | WhyNot {
  if (typeof cell !== 'string') return '';
  const text = withoutPrefix(cell);
  if (text.includes(':') && canonicalAddress(text) !== undefined) return IP_ADDRESS;
  const normalised = normaliseDomain(text);
  if ('reason' in normalised) return notADomain(normalised.reason);
  const { domain, kind } = normalised;
  if (kind === 'ip') return IP_ADDRESS;
  if (kind === 'label') return notADomain('it has no dot');
  const oddity = domain.includes('xn--') ? firstOfNoName(domainToUnicode(domain)) : undefined;
  if (oddity !== undefined) return notADomain(`decoded, ${contains(oddity)}`);
  // Suffixes of companies, such as github.io, count as websites (publicsuffix.org).
  const suffix = getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false });
  if (suffix !== domain) return domain;
  return { reason: 'public_suffix', message: 'only a public suffix, not a registered domain' };
}

function notADomain(reason: string): WhyNot {
  return { reason: 'not_a_domain', message: `not a domain: ${reason}` };
}

const IP_ADDRESS: WhyNot = { reason: 'ip_address', message: 'an IP address, not a domain' };
