/** Next steps by value: identity for plain values, JSON for lists and maps. */
interface Branch<T> {
  readonly byValue: Map<unknown, Branch<T>>;
  readonly byText: Map<string, Branch<T>>;
  made?: T;
}

export interface Memory<T> {
  get(values: readonly unknown[]): T | undefined;
  /** Stores no further results once the limit is reached. */
  keep(values: readonly unknown[], made: T): void;
}

const startBranch = <T>(): Branch<T> => ({ byValue: new Map(), byText: new Map() });

/** Keeps up to `most` results. With `isByIdentity`, lists and maps are equal only to themselves. */
export function createMemory<T>(most: number, isByIdentity = false): Memory<T> {
  const root = startBranch<T>();
  let left = most;
  const isText = (value: unknown): boolean => !isByIdentity && typeof value === 'object' && value !== null;
  const next = (branch: Branch<T>, value: unknown): Branch<T> | undefined =>
    isText(value) ? branch.byText.get(JSON.stringify(value)) : branch.byValue.get(value);
  function grow(branch: Branch<T>, value: unknown): Branch<T> {
    const known = next(branch, value);
    if (known !== undefined) return known;
    const grown = startBranch<T>();
    if (isText(value)) branch.byText.set(JSON.stringify(value), grown);
    else branch.byValue.set(value, grown);
    return grown;
  }
  return {
    get(values) {
      let branch: Branch<T> | undefined = root;
      for (const value of values) branch &&= next(branch, value);
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
  const memory = createMemory<T>(most, true);
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
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
