/**
 * Keys that several files may declare, with equal values alone (decision: "Files are joined into one configuration").
 */
import { isDeepStrictEqual } from 'node:util';
import { formatPlace } from '../../model/errors.ts';
import type { Path } from './document.ts';
import { placeOf, type Scope, tell } from './validate.ts';

/** A value of one file, and where it is written. */
export interface Declared<T> {
  readonly value: T;
  readonly scope: Scope;
  readonly path: Path;
}

/**
 * What several declarations of one key agree on. Those that differ from the first are told of at their own
 * place, with that of the first; never with the values, which may be secrets.
 */
export function agreed<T>(
  name: string,
  declared: readonly Declared<T>[],
  equal: (a: T, b: T) => boolean = isDeepStrictEqual,
): T | undefined {
  const [one, ...others] = declared;
  if (one === undefined) return undefined;
  for (const other of others) {
    if (equal(one.value, other.value)) continue;
    tell(other.scope, other.path, {
      message: `${name} differs from ${formatPlace(placeOf(one.scope, one.path))}`,
      remedy: 'Declare it in one file, or with the same value.',
    });
  }
  return one.value;
}
