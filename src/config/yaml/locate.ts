/** Where the values of a document are written. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair } from 'yaml';
import { memoize } from '../../util/memoize.ts';
import type { ConfigPart, Path, Range } from '../read/source.ts';
import type { Aliases } from './values.ts';
import { isMergeKey } from './values.ts';

type Entries = ReadonlyMap<string, Pair>;

export function rangeOf(node: Node): Range {
  const [start, end] = node.range ?? [0, 0];
  return { start, end };
}

/** The `locate` of a document; what it looks at once it knows the next time. */
export function createLocator(
  document: Document.Parsed,
  aliases: Aliases,
): (path: Path, part?: ConfigPart) => Range {
  const resolve = (node: unknown): Node | undefined => {
    if (!isNode(node)) return undefined;
    return isAlias(node) ? aliases.get(node) : node;
  };
  const entriesOf = createEntries(resolve);
  return (path, part = 'value') => {
    const last = part === 'key' ? path.length - 1 : undefined;
    let node = resolve(document.contents);
    let range = node === undefined ? { start: 0, end: 0 } : rangeOf(node);
    for (const [index, step] of path.entries()) {
      const next = stepInto(node, step, entriesOf);
      range = next.key ?? range;
      node = resolve(next.value);
      if (index === last || node === undefined) return range;
      const own = rangeOf(node);
      // A value that is left empty has no place of its own.
      if (own.end > own.start || next.key === undefined) range = own;
    }
    return range;
  };
}

function stepInto(
  node: Node | undefined,
  step: string | number,
  entriesOf: (map: Node) => Entries,
): { key?: Range; value?: unknown } {
  if (isSeq(node)) return { value: node.items[Number(step)] };
  const pair = isMap(node) ? entriesOf(node).get(String(step)) : undefined;
  if (pair === undefined) return {};
  return isNode(pair.key) ? { key: rangeOf(pair.key), value: pair.value } : { value: pair.value };
}

/** The entries of a map by their keys, merged ones included; the first of each key. */
function createEntries(resolve: (node: unknown) => Node | undefined): (map: Node) => Entries {
  const mergedMaps = (value: unknown): Node[] => {
    const node = resolve(value);
    if (isSeq(node)) return node.items.flatMap((item) => resolve(item) ?? []);
    return node === undefined ? [] : [node];
  };
  const entriesOf = memoize((map: Node): Entries => {
    const pairs: readonly Pair[] = isMap(map) ? map.items : [];
    const own = pairs.flatMap((pair): [string, Pair][] =>
      isScalar(pair.key) && !isMergeKey(pair.key) ? [[String(pair.key.value), pair]] : [],
    );
    const merged = pairs
      .filter((pair) => isMergeKey(pair.key))
      .flatMap((pair) => mergedMaps(pair.value))
      .flatMap((one) => [...entriesOf(one)]);
    // Of two entries with one key a Map keeps the later.
    return new Map([...own, ...merged].reverse());
  });
  return entriesOf;
}
