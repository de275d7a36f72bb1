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

/** So many items of a list are one piece: with four times as many, the JSON of a large plan takes a tenth longer. */
const ITEMS_AT_ONCE = 64;

export type WriteItem = (item: unknown) => string;

/**
 * What `jsonDocument` writes, in pieces, so that a very long list is never there as a text. `writerOf` gives what
 * writes the items of a list, where it is not `itemJson`.
 */
export function* jsonPieces(
  document: object,
  writerOf: (name: string) => WriteItem | undefined,
): Generator<string> {
  let before = '{\n';
  for (const [name, member] of Object.entries(document)) {
    if (member === undefined) continue;
    yield before;
    if (!Array.isArray(member) || member.length === 0) yield safeJson(memberJson(name, member));
    else yield* listPieces(name, member, writerOf(name) ?? itemJson);
    before = ',\n';
  }
  yield '\n}\n';
}

function memberJson(name: string, member: unknown): string {
  return JSON.stringify({ [name]: member }, null, 2).slice('{\n'.length, -'\n}'.length);
}

function* listPieces(name: string, items: readonly unknown[], write: WriteItem): Generator<string> {
  yield `  ${quoted(name)}: [`;
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const some = items.slice(start, start + ITEMS_AT_ONCE).map(write);
    yield `${start === 0 ? '' : ','}\n${some.join(',\n')}`;
  }
  yield '\n  ]';
}

/** An item of a list of a document, as it stands there. */
export function itemJson(item: unknown): string {
  return safeJson(JSON.stringify([[item]], null, 2).slice('[\n  [\n'.length, -'\n  ]\n]'.length));
}

/** A text or a number as it stands in a document. */
export function quoted(value: string | number): string {
  return safeJson(JSON.stringify(value));
}

/** One line of an NDJSON stream. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}
