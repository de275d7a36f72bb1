export type Some<T> = readonly [T, ...T[]];

/** Groups items in the order of the first of each. */
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
