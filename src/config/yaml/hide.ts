/** Finds secrets in a text, so that no excerpt shows them. */
import { nearest } from '../../util/did-you-mean.ts';
import { memoize } from '../../util/memoize.ts';
import { mayHoldLogin } from '../../util/redact.ts';
import type { Hidden, Range, Source } from '../read/source.ts';
import { ALL_SECRET_KEYS, KNOWN_KEYS } from '../schema/keys.ts';
import { SECRET_WORD, shownLength } from '../secrets/words.ts';
import { type Items, isReference, type MapEntry, type Node } from './nodes.ts';

/** Matches a line with an item or a key, also in the form `? `. Any other line may continue a value. */
const HAS_KEY = /^\s*(?:[-?[{]|[^\s:].*[:[{])/;
/** Matches a URL, which may contain credentials or a key. */
const ADDRESS = /:\/\/|[@?]/;
/** Matches a URL with a query or a fragment, which may contain a key. */
const ADDRESS_WITH_QUERY = /^\s*https?:[^?#]*[?#]./i;

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
    // Skips a node that was visited, because aliases may use an anchored value many times.
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
    // The key of a text may be a misspelled or shortened `password`.
    if (!isSecretKey(key) && (KNOWN_KEYS.has(key) || typeof node.value !== 'string')) return;
    if (shownLength(key) < key.length) hide(at + shownLength(key), end);
    if (isReference(node)) return;
    // An anchor or a tag before the value may be the start of an unquoted text.
    hide(end + 1, Math.max(node.end, end + 1));
    if (node.start !== at) hide(node.start, node.end);
  };
  visit(top);
  return (line) => columns.get(line);
}

function mayBeSecret(key: string): boolean {
  return SECRET_WORD.test(key) || nearest(key, ALL_SECRET_KEYS) !== undefined;
}

/** Hides possible secrets in an invalid file. If the file contains a word for a secret, hides all lines. */
export function hideByText({ text, lineAt }: Source): Hidden {
  const mayShow = !SECRET_WORD.test(text);
  const isShown = memoize(
    (line: number) => mayShow && HAS_KEY.test(lineAt(line)) && !ADDRESS.test(lineAt(line)),
  );
  return (line) => (isShown(line) ? undefined : 1);
}
