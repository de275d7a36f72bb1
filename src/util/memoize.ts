/** What was made of some values before, so that it is made once and shared. */

/** Where one value after the other leads to. */
interface Branch<T> {
  readonly next: Map<unknown, Branch<T>>;
  made?: T;
}

/** What a list or a map goes by, before its text: that is not to be taken for a value that is this text. */
const NESTED = Symbol('nested');

export interface Memory<T> {
  /** What was kept for equal values: the same numbers, texts and words, lists and maps with the same JSON. */
  get(values: readonly unknown[]): T | undefined;
  /** Keeps it, unless there is so much already. */
  keep(values: readonly unknown[], made: T): void;
}

/**
 * Keeps up to `most` things. Values lead from one to the next: a text of all of them would cost several times as
 * much to make as this does to follow.
 */
export function createMemory<T>(most: number): Memory<T> {
  const root: Branch<T> = { next: new Map() };
  let left = most;
  return {
    get(values) {
      let branch: Branch<T> | undefined = root;
      for (const value of values) {
        branch = isNested(value)
          ? branch?.next.get(NESTED)?.next.get(JSON.stringify(value))
          : branch?.next.get(value);
      }
      return branch?.made;
    },
    keep(values, made) {
      if (left === 0) return;
      left -= 1;
      const path = values.flatMap((value) => (isNested(value) ? [NESTED, JSON.stringify(value)] : [value]));
      path.reduce(grow<T>, root).made = made;
    },
  };
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function grow<T>(branch: Branch<T>, value: unknown): Branch<T> {
  const known = branch.next.get(value);
  if (known !== undefined) return known;
  const grown: Branch<T> = { next: new Map() };
  branch.next.set(value, grown);
  return grown;
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

interface Shared<T> {
  next?: WeakMap<object, Shared<T>>;
  made?: T;
}

/** What is made of the very same objects is made once, of the first `most`, and kept for as long as they are there. */
export function shareMade<T>(most: number): (of: readonly object[], make: () => T) => T {
  const root: Shared<T> = {};
  let left = most;
  return (of, make) => {
    let shared: Shared<T> | undefined = root;
    for (const object of of) shared = shared?.next?.get(object);
    if (shared?.made !== undefined) return shared.made;
    const made = make();
    if (left > 0) {
      left -= 1;
      of.reduce(growShared<T>, root).made = made;
    }
    return made;
  };
}

function growShared<T>(shared: Shared<T>, object: object): Shared<T> {
  shared.next ??= new WeakMap();
  const known = shared.next.get(object);
  if (known !== undefined) return known;
  const grown: Shared<T> = {};
  shared.next.set(object, grown);
  return grown;
}
