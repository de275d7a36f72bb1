/** Patterns for records whose domains no file can list. */
import { matcher, normaliseDomain } from '../../model/domain.ts';

/** Patterns with more than these cover too much, and take long to match. */
const MOST_STARS = 2;

type Others = readonly { readonly domain: string }[];

/**
 * A pattern that covers `domain` and none of `others`: the domain itself, with `*` for whatever no domain has, or where
 * nothing stands, since a file takes nothing else for a pattern. `undefined` where there is none.
 */
export function patternFor(domain: string, others: Others): string | undefined {
  return candidates(domain.replace(/[^a-z0-9._-]+/g, '*')).find(
    (pattern) => isPattern(pattern) && coversAlone(pattern, domain, others),
  );
}

function candidates(text: string): readonly string[] {
  return [
    text,
    ...Array.from({ length: text.length + 1 }, (_, at) => `${text.slice(0, at)}*${text.slice(at)}`),
  ];
}

function isPattern(pattern: string): boolean {
  const pieces = pattern.split('*');
  if (pieces.join('') === '' || pieces.length - 1 > MOST_STARS) return false;
  const example = normaliseDomain(pieces.join('x'));
  return 'domain' in example && example.dropped.length === 0;
}

function coversAlone(pattern: string, domain: string, others: Others): boolean {
  const covers = matcher([pattern]);
  return covers(domain) && !others.some((other) => other.domain !== domain && covers(other.domain));
}
