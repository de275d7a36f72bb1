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

/** So many items of a list are written at once. */
const ITEMS_AT_ONCE = 256;

/**
 * What `jsonDocument` writes, in pieces, so that a very long list is never there as a text. `shape` says what is
 * written of an item of the list `name`, and is not asked before it is.
 */
export function* jsonPieces(
  document: object,
  shape: (item: unknown, name: string) => unknown,
): Generator<string> {
  let before = '{\n';
  for (const [name, member] of Object.entries(document)) {
    if (member === undefined) continue;
    yield before;
    if (!Array.isArray(member) || member.length === 0) yield safeJson(memberJson(name, member));
    else for (const piece of listPieces(name, member, shape)) yield safeJson(piece);
    before = ',\n';
  }
  yield '\n}\n';
}

function memberJson(name: string, member: unknown): string {
  return JSON.stringify({ [name]: member }, null, 2).slice('{\n'.length, -'\n}'.length);
}

function* listPieces(
  name: string,
  items: readonly unknown[],
  shape: (item: unknown, name: string) => unknown,
): Generator<string> {
  yield `  ${JSON.stringify(name)}: [`;
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const some = items.slice(start, start + ITEMS_AT_ONCE).map((item) => shape(item, name));
    const text = JSON.stringify([some], null, 2);
    yield (start === 0 ? '' : ',') + text.slice('[\n  ['.length, -'\n  ]\n]'.length);
  }
  yield '\n  ]';
}

/** One line of an NDJSON stream. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}
