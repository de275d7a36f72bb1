type Branch<T> = Map<unknown, Branch<T>> & { made?: T };

export interface Memory<T> {
  get(values: readonly unknown[]): T | undefined;
  /** Stores no further results once the limit is reached. */
  keep(values: readonly unknown[], made: T): void;
}

/** Lists and maps by their JSON, which no other value is: a text that looks like JSON is written as JSON, too. */
function byText(value: unknown): unknown {
  const isText =
    typeof value === 'string' ? /^["[{]/.test(value) : typeof value === 'object' && value !== null;
  return isText ? JSON.stringify(value) : value;
}

/** Keeps up to `most` results by value. */
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

/** Shares the results for the same objects, for the first `most` of them. */
export function shareMade<T>(most: number): (of: readonly object[], make: () => T) => T {
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
