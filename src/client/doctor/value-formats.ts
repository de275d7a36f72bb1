/** In which of their forms a service writes ids, flags, lists and times. */
import type { ValueForms } from '../../model/doctor-findings.ts';
import { FIELDS } from '../../model/field-table.ts';
import { isObject } from '../../util/json.ts';

/** `rows` are records as an answer held them. */
export function formsOf(rows: readonly unknown[]): ValueForms {
  const seen = (...names: readonly string[]): unknown[] =>
    rows.filter(isObject).flatMap((row) => names.map((name) => row[name]).filter(isShown));
  return {
    ids: first(seen('id'), (id) => (typeof id === 'number' ? 'number' : 'text')),
    flags: first(seen('email', 'exclude_bots'), flagForm),
    line_ends: first(seen('exclude_params', 'exclude_ips'), lineEnd),
    times: first(seen(FIELDS.favorited_at.wire[0]), timeForm),
  };
}

function isShown(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function first<T>(values: readonly unknown[], form: (value: unknown) => T | undefined): T | null {
  return values.map(form).find((found) => found !== undefined) ?? null;
}

function flagForm(value: unknown): ValueForms['flags'] | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value as 'number' | 'boolean';
  return typeof value === 'string' ? 'text' : undefined;
}

function lineEnd(text: unknown): ValueForms['line_ends'] | undefined {
  if (typeof text !== 'string' || !text.includes('\n')) return undefined;
  return text.includes('\r\n') ? 'CRLF' : 'LF';
}

function timeForm(value: unknown): ValueForms['times'] | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) {
    return 'seconds since 1970';
  }
  if (typeof value !== 'string') return undefined;
  return /(?:Z|[+-]\d{2}:?\d{2})$/i.test(value) ? 'with offset' : 'without offset';
}
