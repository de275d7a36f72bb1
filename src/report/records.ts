/** The records of a service as a table, for a person and for a program. */
import { domainKey } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, READABLE_NAMES } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Website } from '../model/website.ts';
import { type InventoryRecord, STANDINGS, type Standing } from '../planner/inventory.ts';
import { placeText, valueText } from './changes.ts';
import { csvRow, SETTING_COLUMNS, settingCells } from './csv.ts';
import { writtenOf } from './export/values.ts';
import { jsonLine, memberJson } from './json.ts';
import { safe, safeDomain, safeId, safeJson } from './sanitize.ts';
import { count, linedUp } from './text.ts';

export const LIST_FORMAT = 'websites.list/1';

/** What was read, and how. */
export interface ListedRecords {
  readonly service: string;
  readonly records: readonly InventoryRecord[];
  readonly kind: 'lookup' | 'list';
  readonly requests: number;
  readonly complete: boolean;
  readonly reason?: string;
}

export const LIST_FORMATS = {
  human: listHuman,
  json: listJson,
  csv: listCsv,
  ndjson: ({ records }: ListedRecords) => records.map((record) => jsonLine(rowOf(record))),
} as const satisfies Record<string, (list: ListedRecords) => Iterable<string>>;

export type ListFormat = keyof typeof LIST_FORMATS;

function* listHuman(list: ListedRecords): Generator<string> {
  const { records, kind } = list;
  if (records.length > 0) {
    const hasConfiguration = records.some(({ standing }) => standing !== undefined);
    const header = ['ID', 'DOMAIN', ...(hasConfiguration ? ['CONFIGURATION'] : []), 'SETTINGS'];
    const rows = records.map((record) => [
      safeId(record.website.id),
      record.website.domain === '' ? '-' : safeDomain(domainKey(record.website.domain)),
      ...(hasConfiguration ? [standingText(record)] : []),
      settingsText(record.website),
    ]);
    for (const line of linedUp([header, ...rows])) yield `${line}\n`;
    yield '\n';
  }
  yield `${summaryText(list)}\n`;
  const hidden = hiddenIn(list).join(', ');
  if (kind === 'lookup') yield 'Looked up 1 domain; the other records were not read.\n';
  if (hidden === '') return;
  yield kind === 'lookup'
    ? `The service does not show ${hidden}.\n`
    : `The list does not show ${hidden}. To read them, name one domain.\n`;
}

function words(standing: Standing): string {
  return standing.replaceAll('_', ' ');
}

function standingText({ standing, declared }: InventoryRecord): string {
  if (declared === undefined) return standing === undefined ? '-' : words(standing);
  return `${placeText(declared.source)}${standing === 'absent' ? ' (absent)' : ''}`;
}

function settingsText({ settings, passwordSet, unreadable = {} }: Website): string {
  const shown = FIELD_NAMES.flatMap((name) => {
    const value = settings[name];
    if (unreadable[name] !== undefined) return [`${name}: unreadable`];
    if (FIELDS[name].secret) return passwordSet ? [`${name}: set`] : [];
    if (value === undefined || isEmpty(value)) return [];
    const [key, written] = writtenOf(name, value);
    return [`${key}: ${key === name ? valueText(name, value) : safe(String(written))}`];
  });
  return shown.join('; ');
}

/** `12 records: 10 declared, 2 orphan.` */
function summaryText({ records }: ListedRecords): string {
  if (records.length === 0) return 'No records.';
  const counts = STANDINGS.flatMap((standing) => {
    const { length } = records.filter((record) => record.standing === standing);
    return length === 0 ? [] : [`${length} ${words(standing)}`];
  });
  return `${[count(records.length, 'record'), counts.join(', ')].filter(Boolean).join(': ')}.`;
}

/** Settings that no record shows. */
function hiddenIn({ records }: ListedRecords): readonly FieldName[] {
  if (records.length === 0) return [];
  const shows = ({ settings, unreadable }: Website, name: FieldName): boolean =>
    settings[name] !== undefined || unreadable?.[name] !== undefined;
  return READABLE_NAMES.filter((name) => !records.some(({ website }) => shows(website, name)));
}

/** The document `websites.list/1` in pieces: one record per line. */
function* listJson(list: ListedRecords): Generator<string> {
  const { service, records, kind, requests, complete, reason } = list;
  const members = {
    format: LIST_FORMAT,
    service,
    read: { kind, requests },
    complete,
    reason: reason ?? null,
    hidden: hiddenIn(list),
  };
  const texts = Object.entries(members).map(([name, member]) => memberJson(name, member));
  yield safeJson(`{\n${texts.join(',\n')},\n  "records": [`);
  let before = '\n    ';
  for (const record of records) {
    yield before + jsonLine(rowOf(record)).trimEnd();
    before = ',\n    ';
  }
  yield records.length === 0 ? ']\n}\n' : '\n  ]\n}\n';
}

function rowOf({ website, standing, declared }: InventoryRecord) {
  const { id, domain, settings, passwordSet, unreadable } = website;
  return {
    id,
    domain: domain === '' ? null : domainKey(domain),
    standing: standing ?? null,
    source: declared?.source ?? null,
    settings,
    ...(passwordSet === undefined ? {} : { password_set: passwordSet }),
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

const COLUMNS = ['id', 'domain', 'standing', 'source', ...SETTING_COLUMNS];

function* listCsv({ records }: ListedRecords): Generator<string> {
  yield `${COLUMNS.join(',')}\n`;
  for (const { website, standing = '', declared } of records) {
    const { source } = declared ?? {};
    const cells = new Map([
      ['id', website.id],
      ['domain', website.domain === '' ? '' : domainKey(website.domain)],
      ['standing', standing],
      ['source', source === undefined ? '' : `${source.file}:${source.line}`],
      ...settingCells(website.settings),
    ]);
    yield csvRow(COLUMNS, cells);
  }
}
