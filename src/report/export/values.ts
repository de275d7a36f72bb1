import { FIELD_NAMES, FIELDS, type FieldName, isNumeric, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { SecretRef } from '../../model/secret.ts';

export type Written = boolean | number | string | readonly string[] | SecretRef | null;

export type ExportEntry = readonly [key: string, written: Written];

/** The key and the value that declare `value`; numbers by their names, a presence by its own key. */
export function writtenOf(name: FieldName, value: Value): ExportEntry {
  const { kind, presenceKey } = FIELDS[name];
  if (presenceKey !== undefined && typeof value !== 'string') return [presenceKey, value === true];
  // A file declares an absent number as `false`.
  if (value === null && isNumeric(name)) return [name, false];
  if (typeof value !== 'number') return [name, value];
  const shown = String(kind.show(value));
  return [name, shown === String(value) ? value : shown];
}

export function entriesOf(settings: Settings, defaults: Settings = {}): ExportEntry[] {
  return FIELD_NAMES.flatMap((name): ExportEntry[] => {
    const value = settings[name];
    return value === undefined || isImplied(name, value, defaults[name]) ? [] : [writtenOf(name, value)];
  });
}

/** A presence compares equal with any time but is less exact, so it does not imply one. */
function isImplied(name: FieldName, value: Value, common: Value | undefined): boolean {
  return common !== undefined && typeof common === typeof value && FIELDS[name].kind.equal(common, value);
}

/** Returns the loader's reason to reject a value, or `undefined`. */
export function whyUnwritable(name: FieldName, value: Value): string | undefined {
  const [key, written] = writtenOf(name, value);
  if (key !== name) return undefined;
  const { kind } = FIELDS[name];
  const read = kind.input.safeParse(written);
  if (!read.success) return read.error.issues[0]?.message ?? 'is refused';
  return kind.equal(read.data, value) ? undefined : 'would be read back as another value';
}
