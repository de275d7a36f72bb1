/** Patterns for records whose domains no file can list. */
import { matcher, normaliseDomain } from '../../core/domain.ts';

/** Patterns with more than these cover too much, and take long to match. */
const MOST_STARS = 2;

/**
 * A pattern that covers `domain` and none of `others`: the domain itself, with `*` for whatever no domain has,
 * since a file takes nothing else for a pattern. `undefined` where there is none.
 */
export function patternFor(domain: string, others: Iterable<string>): string | undefined {
  const pattern = domain.replace(/[^a-z0-9._-]+/g, '*');
  if (pattern === '*' || pattern.split('*').length - 1 > MOST_STARS) return undefined;
  const example = normaliseDomain(pattern.replaceAll('*', 'x'));
  if ('reason' in example || example.dropped.length > 0) return undefined;
  const covers = matcher([pattern]);
  if (!covers(domain)) return undefined;
  for (const other of others) if (other !== domain && covers(other)) return undefined;
  return pattern;
}
