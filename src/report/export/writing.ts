/** How values are written over those of a file. */
import { FIELDS, type FieldName } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { type ExportEntry, writtenOf } from './values.ts';
import { entryText, yamlValue } from './yaml.ts';

export const WRITING = {
  entryOf({ field, value }: { readonly field: FieldName; readonly value: Value }, key?: string): ExportEntry {
    const { presenceKey } = FIELDS[field];
    if (presenceKey !== undefined && key === presenceKey) return [key, value !== null];
    return presenceKey !== undefined && key === field && value === null
      ? [key, null]
      : writtenOf(field, value);
  },
  yaml: yamlValue,
  yamlEntry: entryText,
};
