import type { Place } from './errors.ts';
import type { FieldName } from './field-table.ts';

/** Where a value of a declared record comes from: the record itself, a group around it, or the top of the files. */
export interface Provenance {
  readonly field: FieldName;
  readonly level: 'record' | 'group' | 'file';
  /** Of the level `group`. */
  readonly group?: string;
  readonly place: Place;
}
