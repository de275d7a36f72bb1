/** Records that hold something else than they should. The others are planned all the same. */
import type { Current } from '../model/website.ts';
import { some } from '../util/text.ts';

/** A text for each such setting and value: `favorited_at of a.example: the service returned an object (…)`. */
export function unreadableValues({
  websites,
  unnamed = [],
}: Pick<Current, 'websites' | 'unnamed'>): string[] {
  const domains = new Map<string, Map<string, string[]>>();
  for (const { domain, id, unreadable = {} } of [...websites, ...unnamed]) {
    for (const [name, holds] of Object.entries(unreadable)) {
      const byShape = domains.get(name) ?? new Map<string, string[]>();
      byShape.set(holds, [...(byShape.get(holds) ?? []), domain === '' ? `record #${id}` : domain]);
      domains.set(name, byShape);
    }
  }
  return [...domains].flatMap(([name, byShape]) =>
    [...byShape].map(([holds, records]) => `${name} of ${some(records)}: the service returned ${holds}`),
  );
}
