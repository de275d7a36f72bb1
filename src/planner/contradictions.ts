/** The last line of defence against desired records that must not be planned together. */
import { matcher, wwwTwin } from '../model/domain.ts';
import type { Problem } from '../model/problem.ts';
import type { Desired } from '../model/website.ts';
import type { Match } from './match.ts';

/** Every record that is declared a second time, or that is declared and ignored. */
export function contradictions(
  { websites, ignore }: Desired,
  { www, declared: all }: Pick<Match, 'www' | 'declared'>,
): readonly Problem[] {
  if (ignore.length === 0 && all.size === websites.length) return [];
  const isIgnored = matcher(ignore);
  const declared = new Set<string>();
  return websites.flatMap(({ domain, source }): Problem[] => {
    // A service that holds the two for one website shows it without its `www.`.
    const shown = www === 'same' && domain.startsWith('www.') ? wwwTwin(domain) : domain;
    const what = declared.has(domain) ? 'twice' : [domain, shown].some(isIgnored) ? 'and ignored' : undefined;
    declared.add(domain);
    if (what === undefined) return [];
    const message = `${domain} is declared ${what}.`;
    return [{ severity: 'error', message, remedy: 'Leave one of the two out.', place: source }];
  });
}
