/** Converts a syntax tree to values with their places. Maps become objects; merge keys and aliases are resolved. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Pair,
  Scalar,
  type Node as SyntaxNode,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isObject } from '../../util/json.ts';
import type { Finding, Range } from '../read/source.ts';
import { withoutSecret } from '../secrets/words.ts';
import type { MapEntry, Node } from './nodes.ts';

/** Maximum number of values after aliases are expanded. 10,000 records that merge 30 values have a thirtieth of it. */
const MAX_VALUES = 10_000_000;

const NO_ANCHOR: Finding = {
  message: 'a text that starts with * is an alias, and no anchor above has its name',
  remedy: 'Put the text in quotes, or set the anchor first.',
};
const CIRCLE: Finding = {
  message: 'this alias is inside the value that it refers to',
  remedy: 'Write the value instead of the alias.',
};
const TOO_MUCH: Finding = {
  message: `the aliases up to this one expand to more than ${MAX_VALUES / 1e6} million values`,
  remedy: 'Use fewer aliases of aliases.',
};
const MERGE: Finding = {
  message: '<< takes a map, or a list of maps',
  remedy: 'Merge an anchored map: "<<: *name".',
};
const SECOND_MERGE: Finding = {
  message: 'the key << is given twice in one map',
  remedy: 'Merge several maps with one key: "<<: [*one, *two]".',
};
const NO_KEY: Finding = { message: 'a value without a key', remedy: 'Write a name before the colon.' };

type PlainMap = Record<string, unknown>;

/** The node of an anchor, and its number of values. Without a node while the anchor is being read. */
interface Anchored {
  node?: Node;
  size: number;
}

/** Converts a document. After an error, some values may differ from the file. */
export function toNodes(document: Document.Parsed, report: (range: Range, finding: Finding) => void): Node {
  const anchors = new Map<string, Anchored>();
  let size = 0;

  const convert = (written: SyntaxNode | null | undefined): Node => {
    const range = rangeIn(written);
    size++;
    if (isAlias(written)) return follow(written.source, range);
    const anchored: Anchored = { size };
    if (written?.anchor !== undefined) anchors.set(written.anchor, anchored);
    const node: Node = { ...range, ...contentOf(written) };
    Object.assign(anchored, { node, size: size - anchored.size });
    return node;
  };

  const contentOf = (written: SyntaxNode | null | undefined): Omit<Node, keyof Range> => {
    if (written == null || isScalar(written)) return { value: written?.value ?? null };
    if (isMap(written)) return convertMap(written);
    const nodes = (written as YAMLSeq<SyntaxNode>).items.map(convert);
    const items = {
      starts: nodes.map(({ start }) => start),
      ends: nodes.map(({ end }) => end),
      at: (index: number): Node => nodes[index] as Node,
    };
    return { value: nodes.map(({ value }) => value), items };
  };

  const follow = (name: string, range: Range): Node => {
    const anchored = anchors.get(name);
    const isLast = size <= MAX_VALUES;
    size += anchored?.size ?? 0;
    if (anchored?.node === undefined) report(range, anchored === undefined ? NO_ANCHOR : CIRCLE);
    else if (size <= MAX_VALUES) return anchored.node;
    else if (isLast) report(range, TOO_MUCH);
    return { ...range, value: undefined };
  };

  const convertMap = (map: YAMLMap): Omit<Node, keyof Range> => {
    const value: PlainMap = {};
    const entries: MapEntry[] = [];
    const sources: Node[] = [];
    let merges = 0;
    for (const { key, value: written } of map.items as readonly Pair<SyntaxNode, SyntaxNode | null>[]) {
      if (isScalar(key) && key.anchor !== undefined) convert(key);
      const entry = entryOf(key, convert(written));
      entries.push(entry);
      const range = rangeIn(written ?? key);
      if (!isMergeKey(key)) setOwn(value, key, entry, range);
      else if (merges++ === 0) sources.push(...sourcesOf(entry.node, range));
      else report(rangeIn(key), SECOND_MERGE);
    }
    for (const source of sources) addMissing(value, entries, source);
    return { value, entries };
  };

  const setOwn = (object: PlainMap, key: SyntaxNode, { key: name, node }: MapEntry, range: Range): void => {
    if (!isScalar(key)) report(rangeIn(key), { ...NO_KEY, message: 'a key must be a plain text' });
    // The text before the colon is missing. The library gives a wrong place for the key, and the right one for the
    // value.
    else if (key.value === null && key.source === '') report(range, NO_KEY);
    else if (!Object.hasOwn(object, name)) set(object, name, node.value);
    else {
      report(rangeIn(key), {
        message: `the key ${withoutSecret(name)} is given twice in one map`,
        remedy: 'Remove one of them.',
      });
    }
  };

  const sourcesOf = (node: Node, range: Range): readonly Node[] => {
    const { items } = node;
    const sources = items === undefined ? [node] : items.starts.map((_, index) => items.at(index));
    if (sources.every(({ value }) => value === undefined || isObject(value))) return sources;
    report(range, MERGE);
    return [];
  };

  return convert(document.contents);
}

function entryOf(key: SyntaxNode, node: Node): MapEntry {
  const { start: at, end } = rangeIn(key);
  return {
    key: isScalar(key) ? String(key.value) : '',
    at,
    end,
    node: node.end > node.start ? node : { ...node, start: at, end },
  };
}

/** Existing keys stay, so that earlier maps override later ones (yaml.org/type/merge). */
function addMissing(value: PlainMap, entries: MapEntry[], source: Node): void {
  for (const entry of source.entries ?? []) {
    if (Object.hasOwn(value, entry.key) || !Object.hasOwn(source.value as PlainMap, entry.key)) continue;
    set(value, entry.key, entry.node.value);
    entries.push(entry);
  }
}

export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
}

function set(object: PlainMap, key: string, value: unknown): void {
  // A plain assignment to __proto__ would not create a key.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true });
  else object[key] = value;
}

function rangeIn(node: SyntaxNode | null | undefined): Range {
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}
