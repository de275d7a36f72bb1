/** JSON in one text form: keys sorted, nothing undefined, no white space; what digests are taken of. */
export function canonicalJson(value: unknown): string {
  const orderOf = keyOrders();

  /** The same with its keys in order; a copy is written several times faster than with a replacer. */
  function ordered(member: unknown): unknown {
    if (typeof member !== 'object' || member === null || 'toJSON' in member) return member;
    if (Array.isArray(member)) return member.map(ordered);
    const copy: Record<string, unknown> = {};
    for (const key of orderOf(Object.keys(member))) {
      const next = ordered((member as Readonly<Record<string, unknown>>)[key]);
      if (key !== '__proto__') copy[key] = next;
      else Object.defineProperty(copy, key, { value: next, enumerable: true });
    }
    return copy;
  }

  return JSON.stringify(ordered(value));
}

/** Of objects with as many keys, so many orders are remembered. */
const MOST_ORDERS = 16;

/** Sorts keys, and remembers: nearly all objects of a large document have the keys of others. */
function keyOrders(): (keys: readonly string[]) => readonly string[] {
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
    const order = { keys, sorted: keys.toSorted() };
    if (orders.length < MOST_ORDERS) orders.push(order);
    return order.sorted;
  };
}

/** A function that gives the SHA-256 of a text as hex; it comes from outside, core computes none. */
export type Digest = (text: string) => string;
