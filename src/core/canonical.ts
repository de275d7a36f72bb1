/**
 * Writes JSON in one text form: keys sorted, nothing undefined, no white space; what digests are taken of. It
 * remembers orders of keys from one value to the next.
 */
export function createCanonicalWriter(): (value: unknown) => string {
  const ordered = orderer(keyOrders());
  return (value) => JSON.stringify(ordered(value));
}

/** What is copied member by member, or item by item. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** Makes the same with its keys in order; a copy is written several times faster than with a replacer. */
function orderer(orderOf: KeyOrder): (value: unknown) => unknown {
  return function ordered(value: unknown): unknown {
    if (!isPlain(value)) return value;
    if (Array.isArray(value)) return value.map(ordered);
    const copy: Record<string, unknown> = {};
    for (const key of orderOf(Object.keys(value))) {
      const next = ordered((value as Readonly<Record<string, unknown>>)[key]);
      if (key !== '__proto__') copy[key] = next;
      else Object.defineProperty(copy, key, { value: next, enumerable: true });
    }
    return copy;
  };
}

/** Of objects with as many keys, so many orders are remembered. */
const MOST_ORDERS = 16;

/** Sorts keys, as far as an object keeps them sorted (those that are numbers come first in any). */
type KeyOrder = (keys: readonly string[]) => readonly string[];

/** Remembers orders: nearly all objects of a large document have the keys of others. */
function keyOrders(): KeyOrder {
  interface Order {
    readonly keys: readonly string[];
    readonly sorted: readonly string[];
  }
  const byCount: Order[][] = [];
  return (keys) => {
    byCount[keys.length] ??= [];
    const orders = byCount[keys.length] as Order[];
    const known = orders.find((order) => order.keys.every((key, index) => key === keys[index]));
    if (known !== undefined) return known.sorted;
    const sorted = Object.keys(Object.fromEntries(keys.toSorted().map((key) => [key, null])));
    if (orders.length < MOST_ORDERS) orders.push({ keys, sorted });
    return sorted;
  };
}

/** A function that gives the SHA-256 of texts, one after the other, as hex; it comes from outside, core computes none. */
export type Digest = (content: string | Iterable<string>) => string;
