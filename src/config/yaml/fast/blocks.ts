/** Reads block maps and block lists (YAML 1.2.2, chapter 8) with each key and item on a line of its own. */
import type { Node } from '../nodes.ts';
import { afterSpaces, checkDepth, inlineAt, itemsOf, keyEnd, type MapDraft, put, UNUSUAL } from './inline.ts';

/** Remembers the content below the first line of list items, because records often repeat it. */
interface Repeats {
  readonly next: string;
  readonly known: Map<string, Readonly<Record<string, unknown>>>;
}

const MAX_KNOWN = 10_000;

/** Reads a text that is a map at the top. If it is not regular, returns an offset near the first irregular part. */
export function readBlocks(text: string): Node | number {
  let at = 0;
  let column = 0;

  function toContent(): void {
    for (;;) {
      const start = at;
      at = afterSpaces(text, at);
      column = at === text.length ? -1 : at - start;
      if (column === -1 || (text[at] !== '#' && !isLineEnd(at))) return;
      at = afterLine(at);
    }
  }

  function afterLine(from: number): number {
    const end = text.indexOf('\n', from);
    return end === -1 ? text.length : end + 1;
  }

  function isLineEnd(from: number): boolean {
    const character = text[from];
    return character === '\n' || character === undefined || (character === '\r' && text[from + 1] === '\n');
  }

  function endLine(from: number): void {
    at = afterSpaces(text, from);
    if (!isLineEnd(at) && (text[at] !== '#' || at === from)) throw UNUSUAL;
    at = afterLine(at);
    toContent();
  }

  function isItem(): boolean {
    return text[at] === '-' && text[at + 1] === ' ';
  }

  function readMapping(indent: number, depth: number, repeats?: Repeats): Node {
    checkDepth(depth);
    const start = at;
    const draft: MapDraft = { value: {}, entries: [] };
    readEntry(draft, indent, depth);
    if (column !== indent || repeats === undefined) readEntries(draft, indent, depth);
    else readRest(draft, indent, depth, repeats);
    return { value: draft.value, entries: draft.entries, start, end: at };
  }

  function readEntry(draft: MapDraft, indent: number, depth: number): void {
    const key = at;
    const colon = keyEnd(text, key);
    if (colon === -1) throw UNUSUAL;
    const node = readValue(colon, indent, depth + 1);
    const next = at;
    // An irregular entry is reported at its key.
    at = key;
    put(draft, text.slice(key, colon - 1), key, node);
    at = next;
  }

  function readEntries(draft: MapDraft, indent: number, depth: number): void {
    while (column === indent) readEntry(draft, indent, depth);
    if (column > indent) throw UNUSUAL;
  }

  /** Reads the lines of an item after its first line. Equal texts share one result. */
  function readRest(draft: MapDraft, indent: number, depth: number, { next, known }: Repeats): void {
    const from = at - column;
    const end = text.indexOf(next, from);
    const rest = text.slice(from, end);
    const repeated = end === -1 ? undefined : known.get(rest);
    if (repeated !== undefined && draft.entries.every(({ key }) => !Object.hasOwn(repeated, key))) {
      Object.assign(draft.value, repeated);
      at = end + 1;
      toContent();
      return;
    }
    readEntries(draft, indent, depth);
    if (end === -1 || known.size >= MAX_KNOWN) return;
    const [, ...others] = draft.entries;
    known.set(rest, Object.fromEntries(others.map(({ key, node }) => [key, node.value])));
  }

  function readValue(colon: number, indent: number, depth: number): Node {
    const start = afterSpaces(text, colon);
    if (!isLineEnd(start) && text[start] !== '#') return readInline(start, depth);
    endLine(colon);
    if (column >= indent && isItem()) return readList(column, depth);
    if (column > indent) return readMapping(column, depth);
    throw UNUSUAL;
  }

  function readInline(start: number, depth: number): Node {
    const node = inlineAt(text, start, depth);
    endLine(node.end);
    return node;
  }

  function readList(indent: number, depth: number): Node {
    checkDepth(depth);
    const start = at;
    const [value, starts]: [unknown[], number[]] = [[], []];
    // Items that are groups are stored, because finding them again by offset would read all of their content.
    const groups = new Map<number, Node>();
    const repeats: Repeats = { next: `\n${' '.repeat(indent)}- `, known: new Map() };
    const read = (from: number, shared?: Repeats): Node => {
      at = from;
      if (keyEnd(text, from) === -1) return readInline(from, depth + 1);
      return readMapping(from - text.lastIndexOf('\n', from) - 1, depth + 1, shared);
    };
    do {
      const item = read(afterSpaces(text, at + 1), repeats);
      value.push(item.value);
      starts.push(item.start);
      if (item.entries?.some(({ key }) => key === 'websites')) groups.set(item.start, item);
    } while (column === indent && isItem());
    if (column > indent) throw UNUSUAL;
    const items = itemsOf(starts, (from) => groups.get(from) ?? read(from));
    return { value, items, start, end: at };
  }

  try {
    toContent();
    if (column === 0 && text.startsWith('---', at)) endLine(at + 3);
    if (column !== 0) throw UNUSUAL;
    return readMapping(0, 0);
  } catch (error) {
    if (error === UNUSUAL) return at;
    throw error;
  }
}
