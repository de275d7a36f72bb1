/**
 * Records as CSV (RFC 4180, with bare line feeds), as bulk files are read: a list is split at white space. Values stand as
 * they are, also if a spreadsheet would take one for a formula: what is changed here would be changed there.
 */
import { FIELD_NAMES, FIELDS, type Settings } from '../model/field-table.ts';
import { formatSecretRef, isSecretRef } from '../model/secret.ts';
import { type ExportEntry, type Written, writtenOf } from './export/values.ts';

export const SETTING_COLUMNS: readonly string[] = FIELD_NAMES.flatMap((name) =>
  [name, FIELDS[name].presenceKey ?? []].flat(),
);

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

function cellText(written: Written): string {
  if (Array.isArray(written)) return written.join(' ');
  return isSecretRef(written) ? formatSecretRef(written) : String(written);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
