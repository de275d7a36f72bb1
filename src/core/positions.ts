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

/**
 * A function that tells the position of a domain as `positionsOf` does. Services often list what files declare in
 * the same order, or the other way round: where one domain was beside the last, the next is looked for there first,
 * which costs a tenth of asking the map.
 */
export function createFinder(websites: readonly DesiredWebsite[]): (domain: string) => number | undefined {
  const positions = positionsOf(websites);
  if (positions.size < websites.length) return (domain) => positions.get(domain);
  let [last, step] = [0, 0];
  return (domain) => {
    if (step !== 0 && websites[last + step]?.domain === domain) {
      last += step;
      return last;
    }
    const found = positions.get(domain);
    const distance = found === undefined ? 0 : found - last;
    step = Math.abs(distance) === 1 ? distance : 0;
    last = found ?? last;
    return found;
  };
}
