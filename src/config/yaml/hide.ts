/** Where a text holds secrets, so that no excerpt of it shows them. */
import { type Document, isAlias, isMap, isNode, isScalar, type Pair, visit } from 'yaml';
import { nearest } from '../../util/did-you-mean.ts';
import { memoize } from '../../util/memoize.ts';
import { mayHoldLogin } from '../../util/redact.ts';
import type { Hidden, Range, Source } from '../read/source.ts';
import { ALL_SECRET_KEYS, REFERENCE_KEYS } from '../schema/keys.ts';
import { isVariableName } from '../secrets/substitute.ts';
import { SECRET_WORD, shownLength } from '../secrets/words.ts';
import type { Aliases } from './values.ts';

/** A key, be it an item's or the `? ` form's; what begins with a colon is the value of one above. */
const HAS_KEY = /^\s*(?:[-?[{]|[^\s:].*[:[{])/;
const INDENT = /^\s*/;
/** Up to the key: an item of a list may begin with it. */
const KEY_INDENT = /^\s*(?:-\s+)*/;
const ITEM = /^\s*-/;
/** A key may stand in the query, or where a fragment does. */
const ADDRESS_WITH_QUERY = /^\s*https?:[^?#]*[?#]./i;
/** How many lines above an error are searched for the key that its text may belong to. */
const LINES_BACK = 50;

/**
 * Hides the values of every key of a document that is, or was meant to be, a secret's; but for
 * references to secrets. `aliases` says what each alias stands for.
 */
export function hideSecrets(source: Source, document: Document.Parsed, aliases: Aliases): Hidden {
  const columns = new Map<number, number>();
  for (const { start, end } of secretRanges(source, document, aliases)) {
    const [first, last] = [source.placeAt(start), source.placeAt(Math.max(start, end - 1))];
    for (let line = first.line; line <= last.line; line++) {
      const column = line === first.line ? first.column : 1;
      columns.set(line, Math.min(column, columns.get(line) ?? column));
    }
  }
  return (line) => columns.get(line);
}

function secretRanges(source: Source, document: Document.Parsed, aliases: Aliases): Iterable<Range> {
  // By start: an anchored secret may be used many times.
  const ranges = new Map<number, Range>();
  const isSecretKey = memoize(mayBeSecret);
  visit(document, {
    Scalar(_, { value, range }) {
      if (typeof value !== 'string' || range == null) return;
      const [start, end] = range;
      if (mayHoldLogin(value)) ranges.set(start, { start, end });
      else if (ADDRESS_WITH_QUERY.test(value)) {
        ranges.set(start, { start: start + source.text.slice(start, end).search(/[?#]/) + 1, end });
      }
    },
    Pair(_, pair) {
      const key = isScalar(pair.key) ? String(pair.key.value ?? '') : '';
      if (!isSecretKey(key)) return;
      for (const range of [...hiddenInKey(pair), ...hiddenInValue(pair, aliases)])
        ranges.set(range.start, range);
    },
  });
  return ranges.values();
}

/** What lost its key may be a secret. */
function mayBeSecret(key: string): boolean {
  return key === '' || SECRET_WORD.test(key) || nearest(key, ALL_SECRET_KEYS) !== undefined;
}

function hiddenInKey({ key }: Pair): Range[] {
  if (!isScalar(key) || key.range == null) return [];
  const text = String(key.value);
  const length = shownLength(text);
  return length < text.length ? [{ start: key.range[0] + length, end: key.range[1] }] : [];
}

function hiddenInValue({ key, value }: Pair, aliases: Aliases): Range[] {
  if (!isNode(value) || isReference(value)) return [];
  // An anchor or a tag before the value may be the beginning of a text without quotes.
  const start = (isNode(key) ? (key.range?.[1] ?? 0) : 0) + 1;
  const own = { start, end: Math.max(value.range?.[1] ?? start, start) };
  const anchored = isAlias(value) ? aliases.get(value)?.range : undefined;
  return anchored == null ? [own] : [own, { start: anchored[0], end: anchored[1] }];
}

function isReference(value: unknown): boolean {
  return (
    isMap(value) &&
    value.items.every(
      ({ key, value: text }) =>
        isScalar(key) &&
        isScalar(text) &&
        REFERENCE_KEYS.has(String(key.value)) &&
        // Whoever writes a secret where its variable belongs has it hidden too.
        (key.value !== 'env' || isVariableName(String(text.value))),
    )
  );
}

/**
 * Hides what may be a secret, judged by the text alone: for files that could not be read. A line
 * without a key of its own goes with the last key above it, and one that is indented below a secret's with that.
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

/** Whether the first of `upward` is indented deeper than the key of a secret above it, as are all lines between. */
function isBelowSecret(upward: readonly string[]): boolean {
  let least = Number.POSITIVE_INFINITY;
  for (const text of upward.filter((some) => some.trim() !== '')) {
    if (SECRET_WORD.test(text) && lengthOf(KEY_INDENT, text) < least) return true;
    // An item may stand below its key without being indented.
    least = Math.min(least, lengthOf(INDENT, text) + (ITEM.test(text) ? 1 : 0));
  }
  return false;
}

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}
