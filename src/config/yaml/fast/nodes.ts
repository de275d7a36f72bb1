/** What a file of the regular shape consists of: values, each with its place. */

import type { ConfigPart, Path, Range } from '../../read/source.ts';
import {
  FILE_KEYS,
  FROM_KEYS,
  GROUP_KEYS,
  RECORD_KEYS,
  REFERENCE_KEYS,
  SECRET_KEYS,
  SERVICE_KEYS,
} from '../../schema/keys.ts';
import { isVariableName } from '../../secrets/substitute.ts';

/** Thrown where a file is not of the regular shape. */
export const UNUSUAL = new Error('not of the regular shape');

export interface Node extends Range {
  /** A map is an object. */
  readonly value: unknown;
  /** Those of a map. */
  readonly entries?: readonly MapEntry[];
  /** Those of a list. */
  readonly items?: Items;
}

export interface MapEntry {
  readonly key: string;
  /** Where the key starts. */
  readonly at: number;
  readonly node: Node;
}

/** Of the items of a list, which may be very many, no more is kept than where they stand. */
export interface Items {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Reads the item that starts at `start` once more. */
  readonly read: (start: number) => Node;
}

/** Reads as `read` does, and the same item as the last time not again: of one record there may be much to tell. */
export function rememberLast(read: Items['read']): Items['read'] {
  let last: { readonly start: number; readonly node: Node } | undefined;
  return (start) => {
    if (last?.start !== start) last = { start, node: read(start) };
    return last.node;
  };
}

/** By themselves: a key that is one object in all maps is found much faster than a part of the text. */
const KNOWN_KEYS: ReadonlyMap<string, string> = new Map(
  [FILE_KEYS, SERVICE_KEYS, RECORD_KEYS, FROM_KEYS, GROUP_KEYS]
    .flatMap(Object.keys)
    .concat(...REFERENCE_KEYS)
    .map((key) => [key, key]),
);

/** A map under construction. */
export interface Draft {
  readonly value: Record<string, unknown>;
  readonly entries: MapEntry[];
}

/** Adds an entry. Throws UNUSUAL for an unknown key, one that is there already, and a secret in plain text. */
export function put({ value, entries }: Draft, name: string, at: number, node: Node): void {
  const key = KNOWN_KEYS.get(name);
  if (key === undefined || Object.hasOwn(value, key)) throw UNUSUAL;
  if (SECRET_KEYS.includes(key) && !isReference(node)) throw UNUSUAL;
  value[key] = node.value;
  entries.push({ key, at, node });
}

function isReference({ entries }: Node): boolean {
  return entries?.every(isPartOfReference) ?? false;
}

/** A password where the name of its variable belongs is left to the full parser, which hides it. */
function isPartOfReference({ key, node }: MapEntry): boolean {
  if (!REFERENCE_KEYS.has(key) || node.entries !== undefined || node.items !== undefined) return false;
  return key !== 'env' || isVariableName(String(node.value));
}

/** The `locate` of a document whose top is `top`. */
export function locateIn(top: Node, path: Path, part: ConfigPart): Range {
  let node = top;
  for (let index = 0; index < path.length - 1; index++) {
    const next = childOf(node, path[index] ?? '');
    if (next === undefined) return rangeOf(node);
    node = next;
  }
  const last = path.at(-1);
  return (last === undefined ? undefined : rangeIn(node, last, part)) ?? rangeOf(node);
}

/** The `itemStarts` of a document whose top is `top`. */
export function itemStartsIn(top: Node, path: Path): readonly number[] | undefined {
  let node: Node | undefined = top;
  for (const step of path) node = node && childOf(node, step);
  return node?.items?.starts;
}

function rangeOf({ start, end }: Range): Range {
  return { start, end };
}

function childOf({ items, entries }: Node, step: string | number): Node | undefined {
  if (items === undefined) return entryOf(entries, step)?.node;
  const start = items.starts[Number(step)];
  return start === undefined ? undefined : items.read(start);
}

/** Where an item, an entry's value or its key is written. */
function rangeIn({ items, entries }: Node, step: string | number, part: ConfigPart): Range | undefined {
  if (items !== undefined) {
    const [start, end] = [items.starts[Number(step)], items.ends[Number(step)]];
    return part === 'key' || start === undefined || end === undefined ? undefined : { start, end };
  }
  const entry = entryOf(entries, step);
  if (entry === undefined || part === 'value') return entry && rangeOf(entry.node);
  return { start: entry.at, end: entry.at + entry.key.length };
}

function entryOf(entries: Node['entries'], key: string | number): MapEntry | undefined {
  return entries?.find((entry) => entry.key === String(key));
}
