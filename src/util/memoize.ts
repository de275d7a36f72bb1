type Branch<T> = Map<unknown, Branch<T>> & { made?: T };

export interface Memory<T> {
  get(values: readonly unknown[]): T | undefined;
  /** Does nothing once the maximum number of results is stored. */
  keep(values: readonly unknown[], made: T): void;
}

/**
 * Uses the JSON of a list or a map as its key. A text that looks like JSON is also converted to JSON, so no two
 * values share a key.
 */
function byText(value: unknown): unknown {
  const isText =
    typeof value === 'string' ? /^["[{]/.test(value) : typeof value === 'object' && value !== null;
  return isText ? JSON.stringify(value) : value;
}

/** Stores up to `most` results, by the content of their arguments. */
export function createMemory<T>(most: number, keyOf = byText): Memory<T> {
  const root: Branch<T> = new Map();
  let left = most;
  const grow = (branch: Branch<T>, value: unknown): Branch<T> => {
    const key = keyOf(value);
    const next: Branch<T> = branch.get(key) ?? new Map();
    branch.set(key, next);
    return next;
  };
  return {
    get(values) {
      let branch: Branch<T> | undefined = root;
      for (const value of values) branch = branch?.get(keyOf(value));
      return branch?.made;
    },
    keep(values, made) {
      if (left === 0) return;
      left -= 1;
      values.reduce(grow, root).made = made;
    },
  };
}

/** Returns the same result for the same objects, for the first `most` of them. */
export function shareMade<T>(most: number): (of: readonly (object | string)[], make: () => T) => T {
  const memory = createMemory<T>(most, (value) => value);
  return (of, make) => {
    const known = memory.get(of);
    if (known !== undefined) return known;
    const made = make();
    memory.keep(of, made);
    return made;
  };
}

export function memoize<K, T extends NonNullable<unknown>>(make: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    known.set(key, made);
    return made;
  };
}
