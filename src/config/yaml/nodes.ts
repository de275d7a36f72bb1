import type { ConfigPart, Hidden, ParsedDocument, Path, Range, Source } from '../read/source.ts';
import { REFERENCE_KEYS } from '../schema/keys.ts';
import { isVariableName } from '../secrets/substitute.ts';

export interface Node extends Range {
  readonly value: unknown;
  readonly entries?: readonly MapEntry[];
  readonly items?: Items;
}

export interface MapEntry {
  readonly key: string;
  readonly at: number;
  readonly end: number;
  readonly node: Node;
}

/** Items of a long list. For many of them, only the offsets are kept. */
export interface Items {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  at(index: number): Node;
}

/** True for a reference to a secret, unless it contains a password instead of the name of a variable. */
export function isReference({ entries }: Node): boolean {
  const isPart = ({ key, node }: MapEntry): boolean =>
    REFERENCE_KEYS.has(key) &&
    node.entries === undefined &&
    node.items === undefined &&
    (key !== 'env' || isVariableName(String(node.value)));
  return entries?.every(isPart) ?? false;
}

export function documentOf(
  source: Source,
  top: Node,
  hidden: Hidden,
  shownRange = (range: Range): Range => range,
): ParsedDocument {
  return {
    source,
    value: top.value,
    locate: (path, part = 'value') => shownRange(locateIn(top, path, part)),
    itemStarts(path) {
      let node: Node | undefined = top;
      for (const step of path) node = node && childOf(node, step);
      return node?.items?.starts;
    },
    hidden,
  };
}

function locateIn(top: Node, path: Path, part: ConfigPart): Range {
  let node = top;
  for (const step of path.slice(0, -1)) {
    const next = childOf(node, step);
    if (next === undefined) return node;
    node = next;
  }
  const last = path.at(-1);
  return (last === undefined ? undefined : rangeIn(node, last, part)) ?? node;
}

function childOf({ items, entries }: Node, step: string | number): Node | undefined {
  if (items === undefined) return entryOf(entries, step)?.node;
  return items.starts[Number(step)] === undefined ? undefined : items.at(Number(step));
}

function rangeIn({ items, entries }: Node, step: string | number, part: ConfigPart): Range | undefined {
  if (items !== undefined) {
    const [start, end] = [items.starts[Number(step)], items.ends[Number(step)]];
    return part === 'key' || start === undefined || end === undefined ? undefined : { start, end };
  }
  const entry = entryOf(entries, step);
  return entry === undefined || part === 'value' ? entry?.node : { start: entry.at, end: entry.end };
}

function entryOf(entries: Node['entries'], key: string | number): MapEntry | undefined {
  return entries?.find((entry) => entry.key === String(key));
}
