/**
 * Exported records as CSV (RFC 4180, with bare line feeds), as bulk files are read: an empty cell is
 * undeclared, a list is split at white space or `;` and has no comma, `null` clears. Values
 * stand as they are, also where a spreadsheet would take one for a formula: what is changed here would be changed
 * there.
 */
import { FIELD_NAMES, FIELDS, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { formatSecretRef, isSecretRef } from '../../model/secret.ts';
import type { Exported, ExportedWebsite } from './export.ts';
import { type ExportEntry, entriesOf, type Written, writtenOf } from './values.ts';

/** The columns of settings. */
export const SETTING_COLUMNS: readonly string[] = FIELD_NAMES.flatMap((name) =>
  [name, FIELDS[name].presenceKey ?? []].flat(),
);
const COLUMNS: readonly string[] = ['domain', ...SETTING_COLUMNS];

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
  return csvRow(COLUMNS, new Map([['domain', domain], ...cellsOf(entriesOf(settings))]));
}

/** The cells of `columns` as a line. */
export function csvRow(columns: readonly string[], cells: ReadonlyMap<string, string>): string {
  return `${columns.map((column) => quoted(cells.get(column) ?? '')).join(',')}\n`;
}

/** What a record shows, by column; null is empty. */
export function settingCells(settings: Settings): [string, string][] {
  const shown = FIELD_NAMES.flatMap((name) => {
    const value = settings[name];
    return value === undefined || value === null ? [] : [writtenOf(name, value)];
  });
  return cellsOf(shown);
}

function cellsOf(entries: readonly ExportEntry[]): [string, string][] {
  return entries.map(([key, written]) => [key, cellText(written)]);
}

export function cellText(written: Written): string {
  if (Array.isArray(written)) return written.join(' ');
  return isSecretRef(written) ? formatSecretRef(written) : String(written);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
