/** Syntax tree → values with their places: maps as objects, merge keys and aliases followed. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  type Pair,
  Scalar,
  type Node as SyntaxNode,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isObject } from '../../util/json.ts';
import { type Finding, type Range, rangeOf } from '../read/source.ts';
import { type MapEntry, NO_TEXT, type Node } from './nodes.ts';

/** Limits the values with aliases expanded. Ten thousand records that merge thirty values have a thirtieth of it. */
const MAX_VALUES = 10_000_000;

export const STAR = ['a text that starts with * must be in quotes', 'Write it as "*…", in quotes.'] as const;

const MERGE: Finding = {
  message: '<< takes a map, or a list of maps',
  remedy: 'Merge an anchored map: "<<: *name".',
};

const SECOND_MERGE: Finding = {
  message: 'the key << is given twice in one map',
  remedy: 'Merge several maps with one key: "<<: [*one, *two]".',
};

const NAME_IT = 'Write a name before the colon.';

type PlainMap = Record<string, unknown>;

/** The node of an anchor, and its number of values; no node while it is being read. */
interface Anchored {
  node?: Node;
  size: number;
}

/** The values of a document, with errors reported. It is not `usable` if an error leaves values that nobody wrote. */
export function toNodes(
  document: Document.Parsed,
  report: (range: Range, finding: Finding) => void,
): { top: Node; usable: boolean } {
  const anchors = new Map<string, Anchored>();
  let size = 0;
  let usable = true;
  let isTooMuch = false;

  const refuse = (range: Range, message: string, remedy: string): void => {
    report(rangeOf(range), { message, remedy });
    usable = false;
  };

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
    const nothing = { ...range, value: undefined };
    const { node, size: held = 0 } = anchors.get(name) ?? {};
    if (node === undefined) {
      if (anchors.has(name)) {
        refuse(range, 'this alias is inside the value that it refers to', 'Write the value out.');
      } else refuse(range, ...whyNoAnchor(name));
      return nothing;
    }
    size += held;
    if (size <= MAX_VALUES) return node;
    if (!isTooMuch) {
      const limit = `more than ${MAX_VALUES / 1e6} million values`;
      const message = `written out, the aliases up to this one come to ${limit}`;
      refuse(range, message, 'Use fewer aliases of aliases.');
    }
    isTooMuch = true;
    return nothing;
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
    if (!isScalar(key)) refuse(rangeIn(key), 'a key must be a plain text', NAME_IT);
    else if (isLeftOut(key)) report(range, { message: 'a value without a key', remedy: NAME_IT });
    else if (Object.hasOwn(object, name)) report(rangeIn(key), duplicate(name));
    else set(object, name, node.value);
  };

  const sourcesOf = (node: Node, range: Range): readonly Node[] => {
    const { items } = node;
    const sources = items === undefined ? [node] : items.starts.map((_, index) => items.at(index));
    if (sources.every(({ value }) => isObject(value))) return sources;
    if (usable) report(range, MERGE);
    return [];
  };

  return { top: convert(document.contents), usable };
}

function entryOf(key: SyntaxNode, node: Node): MapEntry {
  const { start: at, end } = rangeIn(key);
  const name = isScalar(key) && !isLeftOut(key) ? String(key.value) : isCollection(key) ? NO_TEXT : '';
  return { key: name, at, end, node: node.end > node.start ? node : { ...node, start: at, end } };
}

/** Present keys stay, so that earlier maps override later ones (yaml.org/type/merge). */
function addMissing(value: PlainMap, entries: MapEntry[], source: Node): void {
  for (const entry of source.entries ?? []) {
    if (Object.hasOwn(value, entry.key) || !Object.hasOwn(source.value as PlainMap, entry.key)) continue;
    set(value, entry.key, entry.node.value);
    entries.push(entry);
  }
}

/** True if nothing is before the colon. The library places the key anywhere above, and the value correctly. */
function isLeftOut({ value, source }: Scalar): boolean {
  return value === null && source === '';
}

export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
}

function set(object: PlainMap, key: string, value: unknown): void {
  // An assignment to __proto__ would set no key.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true });
  else object[key] = value;
}

function duplicate(key: string): Finding {
  return { message: `the key ${key} is given twice in one map`, remedy: 'Remove one of them.' };
}

function whyNoAnchor(source: string): readonly [message: string, remedy: string] {
  if (/^[.*]/.test(source)) return STAR;
  return [
    'no anchor above has the name of this alias',
    'Set the anchor first, or put a text that starts with * in quotes.',
  ];
}

function rangeIn(node: SyntaxNode | null | undefined): Range {
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}
