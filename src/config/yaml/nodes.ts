/** The nodes of both readers: finds the places of values, and the lines that may contain secrets. */
import { nearest } from '../../util/did-you-mean.ts';
import { memoize } from '../../util/memoize.ts';
import { mayHoldLogin } from '../../util/redact.ts';
import type { ConfigPart, Hidden, ParsedDocument, Path, Range, Source } from '../read/source.ts';
import { ALL_SECRET_KEYS, KNOWN_KEYS, REFERENCE_KEYS } from '../schema/keys.ts';
import { isVariableName } from '../secrets/substitute.ts';
import { SECRET_WORD, withoutSecret } from '../secrets/words.ts';

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

/** Items of a list. For those of a long list, only the offsets are kept. */
export interface Items {
  readonly starts: readonly number[];
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
  for (const step of part === 'key' ? path.slice(0, -1) : path) {
    const next = childOf(node, step);
    if (next === undefined) return node;
    node = next;
  }
  const entry = part === 'key' ? entryOf(node.entries, path.at(-1)) : undefined;
  return entry === undefined ? node : { start: entry.at, end: entry.end };
}

function childOf({ items, entries }: Node, step: string | number): Node | undefined {
  if (items === undefined) return entryOf(entries, step)?.node;
  return items.starts[Number(step)] === undefined ? undefined : items.at(Number(step));
}

function entryOf(entries: Node['entries'], key: string | number | undefined): MapEntry | undefined {
  return entries?.find((entry) => entry.key === String(key));
}

/** Matches a URL with a query or a fragment, which may contain a key. */
const ADDRESS_WITH_QUERY = /^\s*https?:[^?#]*[?#]./i;

export function hideSecrets(source: Source, top: Node): Hidden {
  const lines = new Set<number>();
  const seen = new Set<Node>();
  const isSecretKey = memoize(mayBeSecret);

  const hide = ({ start, end }: Range): void => {
    const last = source.placeAt(Math.max(start, end - 1)).line;
    for (let { line } = source.placeAt(start); line <= last; line++) lines.add(line);
  };
  const hideText = (value: unknown, range: Range): void => {
    if (typeof value === 'string' && (mayHoldLogin(value) || ADDRESS_WITH_QUERY.test(value))) hide(range);
  };
  const visit = (node: Node): void => {
    // Skips a node that was visited, because aliases may use an anchored value many times.
    if (seen.has(node)) return;
    seen.add(node);
    hideText(node.value, node);
    const { items, entries = [] } = node;
    for (const index of items?.starts.keys() ?? []) visit((items as Items).at(index));
    for (const entry of entries) visitEntry(entry);
  };
  const visitEntry = ({ key, at, end, node }: MapEntry): void => {
    hideText(key, { start: at, end });
    visit(node);
    // The key of a text may be a misspelled or shortened `password`.
    if (!isSecretKey(key) && (KNOWN_KEYS.has(key) || typeof node.value !== 'string')) return;
    if (isReference(node) && withoutSecret(key) === key) return;
    // An anchor or a tag before the value may be the start of an unquoted text. The value of an alias is elsewhere.
    hide({ start: at, end: Math.max(node.end, end) });
    hide(node);
  };
  visit(top);
  return (line) => lines.has(line);
}

function mayBeSecret(key: string): boolean {
  return SECRET_WORD.test(key) || nearest(key, ALL_SECRET_KEYS) !== undefined;
}
