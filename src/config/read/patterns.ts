/** Patterns of domains, and the scope that they make. */
import { matcher, whyNoPattern } from '../../model/domain.ts';
import { some } from '../../util/text.ts';
import { type Key, SCOPE_KEY } from '../schema/keys.ts';
import { type Declarations, domainPath } from './record-places.ts';
import type { Path } from './source.ts';
import type { Declared } from './validate.ts';
import { readOptional, type Scope, tell, tellOdd } from './validate.ts';

type Patterns = readonly Declared<string>[];

/** Reads the list at `path`; patterns that are none are told of and left out. */
export function readPatterns(
  scope: Scope,
  path: Path,
  key: Key<readonly string[]>,
  raw: unknown,
): readonly Declared<string>[] {
  const patterns = readOptional(scope, path, key, raw) ?? [];
  return patterns.flatMap((pattern, index) => {
    const own = [...path, index];
    const none = whyNoPattern(pattern);
    if (none === undefined) return [{ value: pattern, scope, path: own }];
    const message = `${JSON.stringify(pattern)} is not a pattern of domains: ${none.reason}`;
    if (none.oddity === undefined) tell(scope, own, { message });
    else tellOdd(scope, own, none.oddity, message);
    return [];
  });
}

/** What the files, or a target, are about. */
export interface DeclaredScope {
  readonly patterns: Patterns;
  /** Whether each pattern is one. */
  readonly isWhole: boolean;
}

/** Reads `scope` of the map at `path`; `undefined` where it has none. */
export function readScope(scope: Scope, path: Path, raw: unknown): DeclaredScope | undefined {
  if (raw === undefined) return undefined;
  const patterns = readPatterns(scope, [...path, 'scope'], SCOPE_KEY, raw);
  return { patterns, isWhole: Array.isArray(raw) && raw.length === patterns.length };
}

/** The union of scopes; `undefined` where there are none. */
export function joinScopes(scopes: readonly DeclaredScope[]): DeclaredScope | undefined {
  if (scopes.length === 0) return undefined;
  return {
    patterns: scopes.flatMap(({ patterns }) => patterns),
    isWhole: scopes.every(({ isWhole }) => isWhole),
  };
}

/** Of a list that belongs elsewhere, no more than these are told. */
const MOST_OUTSIDE = 1000;
const NAMED = 5;

/** Tells of every website that is not within the scope. */
export function tellOutside({ websites, originOf }: Declarations, within: DeclaredScope | undefined): void {
  if (within === undefined || !within.isWhole) return;
  const patterns = [...new Set(within.patterns.map(({ value }) => value))];
  const isWithin = matcher(patterns);
  let left = MOST_OUTSIDE;
  for (const [index, { domain }] of websites.entries()) {
    if (isWithin(domain)) continue;
    const origin = originOf(index);
    tell(origin.scope, domainPath(origin), {
      message: `${domain} is outside of the scope (${some(patterns, NAMED)})`,
      remedy: 'Add a pattern to "scope", or declare the website in the files of its owner.',
    });
    if (--left === 0) return;
  }
}
