/** What an edit of a record is made of; how values are written is passed in. */
import type { FieldName } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { Edit } from './edits.ts';

/** A setting that a record is to declare. */
export interface NewValue {
  readonly field: FieldName;
  readonly value: Value;
}

/** A setting that cannot be written in its place; the reason ends the sentence "FIELD …". */
export interface NotWritten {
  readonly field: FieldName;
  readonly reason: string;
}

export interface RecordEdits {
  readonly edits: readonly Edit[];
  readonly notWritten: readonly NotWritten[];
}

/** Values as YAML holds them. */
export interface Writing {
  /** The key and the plain value that declare a setting, under `key` if that can hold it. */
  entryOf(value: NewValue, key?: string): readonly [key: string, written: Value];
  /** A plain value as YAML on one line. */
  yaml(written: Value): string;
  /** An entry of a block, on one line or several, of which each starts with `indent`. */
  yamlEntry(entry: readonly [key: string, written: Value], indent: string): string;
}

export const SHARED = 'cannot be written: other values use it by an alias';
export const ALIAS = 'cannot be written: the record is an alias';
export const UNUSUAL = 'is written in a form that this command does not edit';
export const VARIABLE = 'is written with a variable';

/** Why a value is not written over that of another key. */
export function otherKey(key: string): string {
  return `needs the key ${key}`;
}

/** None of `values` is written. */
export function noneWritten(values: readonly NewValue[], reason: string): RecordEdits {
  return { edits: [], notWritten: values.map(({ field }) => ({ field, reason })) };
}
