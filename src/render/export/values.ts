/** Settings as files write them, before any format: keys, and plain values. */
import { FIELDS, type FieldName } from '../../core/fields.ts';
import type { Value } from '../../core/kinds.ts';
import type { SecretRef } from '../../core/secret.ts';

/** What a file holds in the place of a value. */
export type Written = boolean | number | string | readonly string[] | SecretRef | null;

/** The key and the value that declare `value`; numbers by their names, a presence by its own key. */
export function writtenOf(name: FieldName, value: Value): readonly [key: string, written: Written] {
  const { kind, presenceKey } = FIELDS[name];
  if (presenceKey !== undefined && typeof value !== 'string') return [presenceKey, value === true];
  if (typeof value !== 'number') return [name, value];
  const shown = String(kind.show(value));
  return [name, shown === String(value) ? value : shown];
}

/** Why a file cannot hold a value, as the loader would put it; `undefined` where it can. */
export function whyUnwritable(name: FieldName, value: Value): string | undefined {
  const [key, written] = writtenOf(name, value);
  if (key !== name) return undefined;
  const { kind } = FIELDS[name];
  const read = kind.input.safeParse(written);
  if (!read.success) return read.error.issues[0]?.message ?? 'is refused';
  return kind.equal(read.data, value) ? undefined : 'would be read back as another value';
}
