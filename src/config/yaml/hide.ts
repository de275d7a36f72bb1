/** Finds secrets in a text, so that no excerpt shows them. */
import { nearest } from '../../util/did-you-mean.ts';
import { memoize } from '../../util/memoize.ts';
import { mayHoldLogin } from '../../util/redact.ts';
import type { Hidden, Range, Source } from '../read/source.ts';
import { ALL_SECRET_KEYS } from '../schema/keys.ts';
import { SECRET_WORD, shownLength } from '../secrets/words.ts';
import { type Items, isReference, type MapEntry, NO_TEXT, type Node } from './nodes.ts';

/** A key, also of an item or of the `? ` form; a line that begins with a colon is the value of a key above. */
const HAS_KEY = /^\s*(?:[-?[{]|[^\s:].*[:[{])/;
const INDENT = /^\s*/;
const KEY_INDENT = /^\s*(?:-\s+)*/;
const ITEM = /^\s*-/;
/** A key may be in the query or in the fragment. */
const ADDRESS_WITH_QUERY = /^\s*https?:[^?#]*[?#]./i;
const LINES_BACK = 50;

export function hideSecrets(source: Source, top: Node): Hidden {
  const columns = new Map<number, number>();
  const seen = new Set<Node>();
  const isSecretKey = memoize(mayBeSecret);

  const hide = (start: number, end: number): void => {
    const [first, last] = [source.placeAt(start), source.placeAt(Math.max(start, end - 1))];
    for (let line = first.line; line <= last.line; line++) {
      const column = line === first.line ? first.column : 1;
      columns.set(line, Math.min(column, columns.get(line) ?? column));
    }
  };
  const hideInText = (value: unknown, { start, end }: Range): void => {
    if (typeof value !== 'string') return;
    if (mayHoldLogin(value)) hide(start, end);
    else if (ADDRESS_WITH_QUERY.test(value)) {
      hide(start + source.text.slice(start, end).search(/[?#]/) + 1, end);
    }
  };
  const visit = (node: Node): void => {
    // An anchored value may be used many times.
    if (seen.has(node)) return;
    seen.add(node);
    hideInText(node.value, node);
    const { items, entries = [] } = node;
    for (const index of items?.starts.keys() ?? []) visit((items as Items).at(index));
    for (const entry of entries) visitEntry(entry);
  };
  const visitEntry = ({ key, at, end, node }: MapEntry): void => {
    hideInText(key, { start: at, end });
    visit(node);
    if (!isSecretKey(key)) return;
    if (key === NO_TEXT) hide(at, end);
    else if (shownLength(key) < key.length) hide(at + shownLength(key), end);
    if (isReference(node)) return;
    // An anchor or a tag before the value may be the beginning of a text without quotes.
    hide(end + 1, Math.max(node.end, end + 1));
    if (node.start !== at) hide(node.start, node.end);
  };
  visit(top);
  return (line) => columns.get(line);
}

/** A value that lost its key may be a secret. */
function mayBeSecret(key: string): boolean {
  return (
    ['', 'null', NO_TEXT].includes(key) ||
    SECRET_WORD.test(key) ||
    nearest(key, ALL_SECRET_KEYS) !== undefined
  );
}

/**
 * Hides possible secrets by the text alone, for unreadable files. A line without a key belongs to the last key above
 * it, and one that is indented below a secret's key to that.
 */
export function hideByText(source: Source): Hidden {
  return (line) => {
    const own = SECRET_WORD.exec(source.lineAt(line));
    if (own !== null) return own.index + own[0].length + 2;
    const upward = Array.from({ length: Math.min(line, LINES_BACK) }, (_, index) =>
      source.lineAt(line - index),
    );
    const keyed = upward.find((text) => HAS_KEY.test(text));
    const isHidden = keyed === undefined || SECRET_WORD.test(keyed) || isBelowSecret(upward);
    return isHidden ? 1 : undefined;
  };
}

/** True if the first of `upward`, and all lines up to the key of a secret above it, are indented deeper. */
function isBelowSecret(upward: readonly string[]): boolean {
  let least = Number.POSITIVE_INFINITY;
  for (const text of upward.filter((some) => some.trim() !== '')) {
    if (SECRET_WORD.test(text) && lengthOf(KEY_INDENT, text) < least) return true;
    // An item may be below its key without indentation.
    least = Math.min(least, lengthOf(INDENT, text) + (ITEM.test(text) ? 1 : 0));
  }
  return false;
}

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}
