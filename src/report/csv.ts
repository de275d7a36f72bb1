/** Values are not escaped as spreadsheet formulas, because an import would then read different values. */
import { FIELD_NAMES, FIELDS, type Settings } from '../model/field-table.ts';
import { formatSecretRef, isSecretRef } from '../model/secret.ts';
import { writtenOf } from './export/yaml.ts';

/** Writes CSV (RFC 4180, with LF line ends) that bulk files can read. Spaces separate list items; null is empty. */
export function* csvPieces<Own extends string>(
  own: readonly Own[],
  records: Iterable<{ readonly cells: Readonly<Record<Own, string>>; readonly settings: Settings }>,
): Generator<string> {
  const keys = FIELD_NAMES.flatMap((name) => [name, FIELDS[name].presenceKey ?? []].flat());
  const columns = [...own, ...keys];
  yield `${columns.join(',')}\n`;
  for (const { cells, settings } of records) {
    const all = new Map(Object.entries<string>(cells));
    for (const name of FIELD_NAMES) {
      const value = settings[name];
      if (value === undefined || value === null) continue;
      const [key, written] = writtenOf(name, value);
      all.set(key, isSecretRef(written) ? formatSecretRef(written) : [written].flat().join(' '));
    }
    yield `${columns.map((column) => quoted(all.get(column) ?? '')).join(',')}\n`;
  }
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
