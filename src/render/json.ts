/** Machine formats: pretty-printed JSON whose keys stand in one order, whatever the value's own was. */
import { safeJson } from './safe.ts';

/** `value` with the members of `order` first and in that order; missing ones stay missing. */
export function inKeyOrder<T extends object>(value: T, order: readonly (keyof T)[]): T {
  const ordered: Partial<T> = {};
  for (const key of order) if (value[key] !== undefined) ordered[key] = value[key];
  return Object.assign(ordered, value);
}

/** A document, harmless on a terminal too. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

/** One line of an NDJSON stream. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}
