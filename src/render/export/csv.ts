/**
 * Exported records as CSV (RFC 4180, with bare line feeds), as bulk files are read: an empty cell is
 * undeclared, a list is split at white space or `;` and has no comma, `null` clears. Values
 * stand as they are, also where a spreadsheet would take one for a formula: what is changed here would be changed
 * there.
 */
import { FIELD_NAMES, FIELDS } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef } from '../../model/secret.ts';
import type { Exported, ExportedWebsite } from './export.ts';
import { entriesOf, type Written } from './values.ts';

const COLUMNS: readonly string[] = [
  'domain',
  ...FIELD_NAMES.flatMap((name) => [name, FIELDS[name].presenceKey ?? []].flat()),
];

/** A line of column names, then a record a line. */
export function* csvExport({ websites }: Exported): Generator<string> {
  yield `${COLUMNS.join(',')}\n`;
  for (const website of websites) yield csvLine(website);
}

/** Why a cell cannot hold a value. */
export function csvLimits(value: Value): string | undefined {
  if (!Array.isArray(value)) return undefined;
  if (value.some((item) => /[\s;,]/.test(item))) return 'has an item that a list in CSV cannot hold';
  if (value.some((item) => /\p{Surrogate}/u.test(item)))
    return 'has half a character, which UTF-8 cannot hold';
  return value.length === 1 && /^null$/i.test(value[0]) ? 'is a text that clears a field in CSV' : undefined;
}

function csvLine({ domain, settings }: ExportedWebsite): string {
  const cells = new Map([['domain', domain]]);
  for (const [key, written] of entriesOf(settings)) cells.set(key, quoted(cellText(written)));
  return `${COLUMNS.map((column) => cells.get(column) ?? '').join(',')}\n`;
}

function cellText(written: Written): string {
  if (Array.isArray(written)) return written.join(' ');
  return isSecretRef(written) ? formatSecretRef(written) : String(written);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
