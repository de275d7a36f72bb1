/** Which changes are shown: what was searched for, and what was switched on. */
import { groups, type ListGroup, type PageItem } from './model.ts';

/** The head of a group, or a single change, on a level below where it stands under its group's head. */
export type ListRow =
  | {
      readonly key: ListGroup;
      readonly group: ListGroup;
      readonly items: readonly PageItem[];
      readonly item?: undefined;
    }
  | { readonly key: PageItem; readonly group: ListGroup; readonly item: PageItem; readonly level: 1 | 2 };

export const filter = {
  words: [] as readonly string[],
  action: new Set<string>(),
  risk: new Set<string>(),
  origin: new Set<string>(),
  field: '',
  /** The number of a group of websites, -1 for none. */
  site: undefined as number | undefined,
  grouped: true,
};

/** The groups that are open. */
export const expanded = new Set<ListGroup>();

function passes(group: ListGroup): boolean {
  return (
    (filter.action.size === 0 || filter.action.has(group.action)) &&
    (filter.risk.size === 0 || filter.risk.has(group.risk)) &&
    (filter.origin.size === 0 || filter.origin.has(group.origin)) &&
    (filter.field === '' || group.fields.has(filter.field))
  );
}

function matching({ items, words }: ListGroup): readonly PageItem[] {
  if (filter.words.length === 0 && filter.site === undefined) return items;
  return items.filter(
    (item) =>
      (filter.site === undefined || item.site === filter.site) &&
      filter.words.every((word) => item.words.includes(word) || words.includes(word)),
  );
}

/** The rows to show, and how many changes they stand for. */
export function filteredRows(): { readonly rows: readonly ListRow[]; readonly found: number } {
  const parts = groups.filter(passes).map((group) => ({ group, items: matching(group) }));
  return {
    rows: parts.flatMap(({ group, items }) => rowsOf(group, items)),
    found: parts.reduce((sum, { items }) => sum + items.length, 0),
  };
}

/** Single changes, or the head of a group with its changes where it is open. */
function rowsOf(group: ListGroup, items: readonly PageItem[]): readonly ListRow[] {
  const together = filter.grouped && filter.words.length === 0 && items.length > 1;
  const singles = (level: 1 | 2): ListRow[] => items.map((item) => ({ key: item, group, item, level }));
  if (!together) return singles(1);
  return [{ key: group, group, items }, ...(expanded.has(group) ? singles(2) : [])];
}

export function isFiltering(): boolean {
  const { words, action, risk, origin, field, site } = filter;
  return words.length + action.size + risk.size + origin.size > 0 || field !== '' || site !== undefined;
}
