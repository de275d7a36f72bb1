/** Finds the lines that may contain secrets, so that no excerpt shows them. */
import { nearest } from '../../util/did-you-mean.ts';
import { memoize } from '../../util/memoize.ts';
import { mayHoldLogin } from '../../util/redact.ts';
import type { Hidden, Range, Source } from '../read/source.ts';
import { ALL_SECRET_KEYS, KNOWN_KEYS } from '../schema/keys.ts';
import { SECRET_WORD, withoutSecret } from '../secrets/words.ts';
import { type Items, isReference, type MapEntry, type Node } from './nodes.ts';

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
