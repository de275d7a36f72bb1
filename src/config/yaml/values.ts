/** Syntax tree → plain values: maps as objects, merge keys and aliases followed. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  type Node,
  type Pair,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isObject } from '../../util/json.ts';
import type { Finding } from '../read/source.ts';

/**
 * Values that a document may come to with its aliases written out. Ten thousand records that merge
 * the same thirty values come to a thirtieth of it; a bomb comes to more than a machine can hold.
 */
const MOST_VALUES = 10_000_000;

/** What a text that starts with a star and has no quotes is told. */
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

interface Merge {
  readonly key: Node;
  readonly sources: readonly PlainMap[];
}

/**
 * The plain values of a document. What is wrong with a node is told; the result is `undefined` when
 * that leaves values that nobody wrote.
 */
export function toValues(
  document: Document.Parsed,
  aliases: Aliases,
  tell: (node: Node, finding: Finding) => void,
): { value: unknown } | undefined {
  /** Anchored nodes that were converted, and how many values they hold; missing while under way. */
  const anchored = new Map<Node, { value: unknown; size: number }>();
  let size = 0;
  let usable = true;
  let isTooMuch = false;

  const refuse = (node: Node, message: string, remedy: string): undefined => {
    tell(node, { message, remedy });
    usable = false;
  };

  const convert = (node: Node | null): unknown => {
    size++;
    if (node === null) return null;
    if (isScalar(node)) return node.value;
    if (isAlias(node)) return follow(node);
    const before = size;
    const value = isMap(node) ? convertMap(node) : (node as YAMLSeq<Node>).items.map(convert);
    if (node.anchor !== undefined) anchored.set(node, { value, size: size - before });
    return value;
  };

  const follow = (alias: Alias): unknown => {
    const node = aliases.get(alias);
    if (node === undefined) return refuse(alias, ...whyNoAnchor(alias.source));
    if (isScalar(node)) return node.value;
    const found = anchored.get(node);
    if (found === undefined) {
      return refuse(alias, 'this alias is inside the value that it refers to', 'Write the value out.');
    }
    size += found.size;
    if (size <= MOST_VALUES) return found.value;
    if (!isTooMuch) {
      const limit = `more than ${MOST_VALUES / 1e6} million values`;
      refuse(
        alias,
        `written out, the aliases up to this one come to ${limit}`,
        'Use fewer aliases of aliases.',
      );
    }
    isTooMuch = true;
    return undefined;
  };

  const convertMap = (map: YAMLMap): PlainMap => {
    const object: PlainMap = {};
    const merges: Merge[] = [];
    for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
      const plain = convert(value);
      if (isMergeKey(key)) merges.push({ key, sources: toMerge(value ?? key, plain) });
      else if (!isScalar(key)) refuse(key, 'a key must be a plain text', NAME_IT);
      else if (isOfUse(key, value, object)) set(object, String(key.value), plain);
    }
    mergeInto(object, merges);
    return object;
  };

  const mergeInto = (object: PlainMap, [merge, second]: readonly Merge[]): void => {
    if (second !== undefined) tell(second.key, SECOND_MERGE);
    for (const source of merge?.sources ?? []) addMissing(object, source);
  };

  const isOfUse = (key: Scalar & Node, value: Node | null, object: PlainMap): boolean => {
    if (isLeftOut(key)) tell(value ?? key, { message: 'a value without a key', remedy: NAME_IT });
    else if (Object.hasOwn(object, String(key.value))) tell(key, duplicate(String(key.value)));
    else return true;
    return false;
  };

  const toMerge = (node: Node, value: unknown): PlainMap[] => {
    const sources = Array.isArray(value) ? value : [value];
    if (sources.every(isObject)) return sources;
    // An alias that could not be followed has been told.
    if (usable) tell(node, MERGE);
    return [];
  };

  const value = convert(document.contents);
  return usable ? { value } : undefined;
}

/** Whether nothing stands before the colon. The library places it anywhere above, and the value right. */
function isLeftOut({ value, source }: Scalar): boolean {
  return value === null && source === '';
}

/** A `<<` without quotes. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
}

/** What a key has already stays, so that earlier maps win (yaml.org/type/merge). */
function addMissing(object: PlainMap, source: PlainMap): void {
  for (const [key, value] of Object.entries(source)) {
    if (!Object.hasOwn(object, key)) set(object, key, value);
  }
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

export type Aliases = ReadonlyMap<Alias, Node>;

/** The node of each alias: the last one before it that has its anchor. */
export function resolveAliases(document: Document.Parsed): Aliases {
  const aliases = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const anchored = anchors.get(node.source);
        if (anchored !== undefined) aliases.set(node, anchored);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return aliases;
}
