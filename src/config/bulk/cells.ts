/**
 * The cells of a row → what YAML would hold under the same keys
 * (decision: "Files are joined into one configuration").
 */
import { trimPlain } from '../../util/look-alikes.ts';
import { type Mapping, plainOf } from '../read/validate.ts';
import { BULK_RECORD_KEYS, LIST_KEYS, SECRET_KEYS } from '../schema/keys.ts';
import type { BulkRow } from './rows.ts';

export function mappingOf({ keys, cells }: BulkRow): Mapping {
  const entries: [string, unknown][] = [];
  for (const [index, key] of keys.entries()) {
    const value = key === undefined ? undefined : cellValue(key, cells[index]);
    if (key !== undefined && value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

/** The keys of lists of which no item can hold a comma, such as addresses. */
const SPLIT_AT_COMMAS: readonly string[] = LIST_KEYS.filter(
  (key) => !BULK_RECORD_KEYS[key]?.schema.safeParse(['a,b']).success,
);

/**
 * An empty text declares nothing, and `null` clears. A secret is `env:NAME` or `file:PATH`, lists are split at
 * white space or `;`, those of addresses at commas too, words and numbers are read in capitals too. What is no text stays as it is.
 */
export function cellValue(key: string, cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  const text = trimPlain(cell);
  if (text === '') return undefined;
  const small = text.toLowerCase();
  // A domain, or a group, can be called so, and cannot be cleared.
  if (small === 'null') return key === 'domain' || key === 'group' ? text : null;
  if (SECRET_KEYS.includes(key)) return secretRef(text);
  if (SPLIT_AT_COMMAS.includes(key)) return text.split(/[ \t\r\n\f\v;,]+/).filter(Boolean);
  if (LIST_KEYS.includes(key))
    return text.includes(',') ? text : text.split(/[ \t\r\n\f\v;]+/).filter(Boolean);
  const accepts = (value: unknown): boolean =>
    BULK_RECORD_KEYS[key]?.schema.safeParse(value).success ?? false;
  return [text, small, plainOf(small)].find(accepts) ?? text;
}

function secretRef(text: string): unknown {
  const [, kind, name] = /^(env|file):(.+)$/s.exec(text) ?? [];
  return kind === undefined ? text : { [kind]: name };
}
