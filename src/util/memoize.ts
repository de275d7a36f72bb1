/** Where one value after the other leads to: values by themselves, and lists and maps by their JSON. */
interface Branch<T> {
  readonly byValue: Map<unknown, Branch<T>>;
  readonly byText: Map<string, Branch<T>>;
  made?: T;
}

export interface Memory<T> {
  /** What was kept for equal values: the same numbers, texts and words, lists and maps with the same JSON. */
  get(values: readonly unknown[]): T | undefined;
  /** Keeps it, unless there is so much already. */
  keep(values: readonly unknown[], made: T): void;
}

const startBranch = <T>(): Branch<T> => ({ byValue: new Map(), byText: new Map() });

/**
 * Keeps up to `most` things. Values lead from one to the next: a text of all of them would cost several times as
 * much to make as this does to follow. With `isByIdentity`, lists and maps are equal only to themselves.
 */
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

/** What is made of the very same objects is made once, of the first `most`. */
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

/** Asks `make` once for each key, and remembers what it made for as long as there is the function that is returned. */
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
