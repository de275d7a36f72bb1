export type Some<T> = readonly [T, ...T[]];

/** Groups items by key. Groups are in the order of their first items. */
export function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): [K, Some<T>][] {
  const byKey = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [item]);
    else known.push(item);
  }
  return [...byKey];
}
