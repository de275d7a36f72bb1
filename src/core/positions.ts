/** Where each domain stands in a list of desired records. */
import type { DesiredWebsite } from './website.ts';

const known = new WeakMap<readonly DesiredWebsite[], ReadonlyMap<string, number>>();

/**
 * The position of each domain, the last of those that stand there twice. A list must not change once it has been
 * asked about: the map is made once for it, because of very many records it is among the dearest parts of a plan.
 */
export function positionsOf(websites: readonly DesiredWebsite[]): ReadonlyMap<string, number> {
  const before = known.get(websites);
  if (before !== undefined) return before;
  const positions = new Map<string, number>();
  for (let index = 0; index < websites.length; index += 1) {
    const website = websites[index] as DesiredWebsite;
    positions.set(website.domain, index);
  }
  known.set(websites, positions);
  return positions;
}
