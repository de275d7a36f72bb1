/** Machine formats: pretty-printed JSON whose keys stand in one order, whatever the value's own was. */
import { safeJson } from './safe.ts';

/** `value` with the members of `order` first and in that order; missing ones stay missing. */
export function inKeyOrder<T extends object>(value: T, order: readonly (keyof T)[]): T {
  if (isInOrder(Object.keys(value), order as readonly string[])) return value;
  const ordered: Partial<T> = {};
  for (const key of order) if (value[key] !== undefined) ordered[key] = value[key];
  return Object.assign(ordered, value);
}

function isInOrder(keys: readonly string[], order: readonly string[]): boolean {
  let last = -1;
  return keys.every((key) => {
    const before = last;
    last = order.indexOf(key);
    return last > before;
  });
}

/** A document, harmless on a terminal too. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

/** A member of a document, as it stands there. */
export function memberJson(name: string, member: unknown): string {
  return JSON.stringify({ [name]: member }, null, 2).slice('{\n'.length, -'\n}'.length);
}

/** One line of an NDJSON stream. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}
