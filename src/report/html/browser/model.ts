/** The data as the page looks it through. */
import type { PageData, PageRow } from '../data.ts';
import { $ } from './elements.ts';

export const data = JSON.parse($('data').textContent) as PageData;

/** The groups of the data with their changes spelt out, each with the words that it is found by. */
export const groups = data.groups.map(({ changes, ...group }) => {
  const { action, risk, reason, origin, cause, notes, rows: shared } = group;
  return {
    ...group,
    words: haystack([action, risk, reason, origin, cause, ...notes, ...words(shared)]),
    fields: new Set<string>(shared.map(([field]) => field)),
    items: changes.map(([domain, id, file, before, line, site, rows]) => {
      const place = file < 0 ? '' : `${data.files[file]}${line === 0 ? '' : `:${line}`}`;
      const settings = data.settings[before] ?? [];
      const found = haystack([domain, id, place, data.sites[site] ?? '', ...words(rows ?? [])]);
      return { domain, id, place, site, settings, rows: rows ?? shared, words: found };
    }),
  };
});

export type ListGroup = (typeof groups)[number];
export type PageItem = ListGroup['items'][number];

export const total = groups.reduce((sum, { items }) => sum + items.length, 0);

function words(rows: readonly PageRow[]): string[] {
  return rows.flatMap(([, label, pieces]) => [label, ...pieces.map(([, text]) => text)]);
}

function haystack(parts: readonly string[]): string {
  return parts.join('\n').toLowerCase();
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
