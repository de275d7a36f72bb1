import { domainKey } from '../model/domain.ts';
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Website } from '../model/website.ts';
import { type InventoryRecord, RECORD_STATUSES, type RecordStatus } from '../planner/inventory.ts';
import { placeText, valueText } from './changes.ts';
import { csvPieces } from './csv.ts';
import { type Document, headlined } from './document.ts';
import { hiddenIn } from './export/export.ts';
import { writtenOf } from './export/yaml.ts';
import { FORMATS, jsonLine, jsonPieces } from './json.ts';
import { terminalPieces } from './media/terminal.ts';
import {
  count,
  joinTexts,
  present,
  prose,
  safe,
  safeDomain,
  safeId,
  say,
  type Text,
  tally,
} from './sanitize.ts';
import type { RenderOptions } from './text.ts';

export interface ListedRecords {
  readonly service: string;
  readonly records: readonly InventoryRecord[];
  readonly kind: 'lookup' | 'list';
  readonly requests: number;
  readonly complete: boolean;
  readonly reason?: string | undefined;
}

export const LIST_FORMATS = {
  human: (list, options) => terminalPieces(listDocument(list), options),
  json: listJson,
  csv: listCsv,
  ndjson: ({ records }) => records.map((record) => jsonLine(rowOf(record))),
} as const satisfies Record<string, (list: ListedRecords, options: RenderOptions) => Iterable<string>>;

export type ListFormat = keyof typeof LIST_FORMATS;

export function listDocument(list: ListedRecords): Document {
  const { records, kind } = list;
  const isDeclared = records.some(({ status }) => status !== undefined);
  const head = present([say`ID`, say`DOMAIN`, isDeclared && say`CONFIGURATION`, say`SETTINGS`]);
  const items = records.map((record) => {
    const { website, status, declared } = record;
    const domain = website.domain === '' ? say`-` : safeDomain(domainKey(website.domain));
    const known = status === undefined ? say`-` : words(status);
    const place = declared && say`${placeText(declared.source)}${status === 'absent' && ' (absent)'}`;
    const shown = isDeclared && (place ?? known);
    return present<Text>([safeId(website.id), domain, shown, settingsText(website)]);
  });
  const hidden = joinTexts(hiddenIn(records.map(({ website }) => website)).map((name) => say`${name}`));
  const hiddenText =
    kind === 'lookup'
      ? say`The service does not show ${hidden}.`
      : say`The list does not show ${hidden}. To see them for one domain, run "websites list DOMAIN".`;
  return {
    ...headlined(countsText(list), [
      kind === 'lookup' && say`Looked up 1 domain. The other records were not read.`,
      hidden && hiddenText,
    ]),
    body: [{ kind: 'table', head, items }],
  };
}

function words(status: RecordStatus): Text {
  return prose(status.replaceAll('_', ' '));
}

function settingsText({ settings, passwordSet, unreadable = {} }: Website): Text {
  const shown = FIELD_NAMES.flatMap((name): Text[] => {
    const value = settings[name];
    if (unreadable[name] !== undefined) return [say`${name}: unreadable`];
    if (FIELDS[name].secret) return passwordSet ? [say`${name}: set`] : [];
    if (value === undefined || isEmpty(value)) return [];
    const [key, written] = writtenOf(name, value);
    return [say`${safe(key)}: ${key === name ? valueText(name, value) : safe(String(written))}`];
  });
  return joinTexts(shown, '; ');
}

function countsText({ records }: ListedRecords): Text {
  if (records.length === 0) return say`No records`;
  const counts = tally(
    RECORD_STATUSES.map((status) => [status, words(status)]),
    records.map(({ status }) => status),
  );
  return say`${count(records.length, 'record')}${counts && say`: ${counts}`}`;
}

function listJson(list: ListedRecords): Iterable<string> {
  const { service, records, kind, requests, complete, reason } = list;
  const document = {
    format: FORMATS.list,
    service,
    read: { kind, requests },
    complete,
    reason: reason ?? null,
    hidden: hiddenIn(records.map(({ website }) => website)),
    records: records.map(rowOf),
  };
  return jsonPieces(document, ['records']);
}

function rowOf({ website, status, declared }: InventoryRecord) {
  const { id, domain, settings, passwordSet: password_set, unreadable } = website;
  return {
    id,
    domain: domainKey(domain) || null,
    status: status ?? null,
    source: declared?.source ?? null,
    settings,
    password_set,
    unreadable,
  };
}

function listCsv({ records }: ListedRecords): Iterable<string> {
  const rows = records.map(({ website: { id, domain, settings }, status = '', declared }) => {
    const source = declared === undefined ? '' : `${declared.source.file}:${declared.source.line}`;
    return { cells: { id, domain: domainKey(domain), status, source }, settings };
  });
  return csvPieces(['id', 'domain', 'status', 'source'], rows);
}
