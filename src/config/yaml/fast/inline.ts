/** Reads values on one line: plain and quoted texts, numbers, and collections in brackets. */
import { ALL_SECRET_KEYS, KNOWN_KEYS, MAX_NESTED_GROUPS } from '../../schema/keys.ts';
import { type Items, isReference, type MapEntry, type Node } from '../nodes.ts';

export const UNUSUAL = new Error('not of the regular shape');

export interface MapDraft {
  readonly value: Record<string, unknown>;
  readonly entries: MapEntry[];
}

export function put({ value, entries }: MapDraft, name: string, at: number, node: Node): void {
  const key = KNOWN_KEYS.get(name);
  if (key === undefined || Object.hasOwn(value, key)) throw UNUSUAL;
  if (ALL_SECRET_KEYS.includes(key) && !isReference(node)) throw UNUSUAL;
  value[key] = node.value;
  entries.push({ key, at, end: at + key.length, node });
}

/** `read` reads an item again. The last item is kept, because one record may have many problems. */
export function itemsOf(starts: readonly number[], read: (start: number) => Node): Items {
  let last: { readonly index: number; readonly node: Node } | undefined;
  return {
    starts,
    at(index) {
      if (last?.index !== index) last = { index, node: read(starts[index] ?? 0) };
      return last.node;
    },
  };
}

/** Letters beyond ASCII, without white space, directional marks and similar characters. */
const LETTERS = '\\u00a1-\\u1fff\\u2c00-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffc';
/** Matches an unquoted text that has the same meaning in a block and in brackets. If a colon follows, it is a key. */
const PLAIN = new RegExp(`(?:\\.{1,2}/|[A-Za-z0-9_${LETTERS}])[\\w./:+%=~${LETTERS}-]*`, 'y');
/** Matches a URL with a query, which may contain a key. */
const QUERY = `["'] *[hH][tT][tT][pP][sS]?:[^?#"']*[?#]`;
/** Matches a quoted text without escapes. The full parser reads texts that may contain credentials. */
const QUOTED = new RegExp(`(?!${QUERY})(?:"[ !#-?A-[\\]-~${LETTERS}]*"|'[ -&(-?A-~${LETTERS}]*')`, 'y');
const KEY = /[a-z][a-z0-9_]*:(?=[ \r\n]|$)/y;
const INTEGER = /^(?:0|[1-9]\d{0,14})$/;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const MAX_WORD = 'false'.length;
const NINE = '9'.charCodeAt(0);
const SPACE = ' '.charCodeAt(0);
/** A configuration has four levels, and each group adds two. */
const MAX_DEPTH = 4 + 2 * MAX_NESTED_GROUPS;

export function keyEnd(text: string, at: number): number {
  return endOf(KEY, text, at);
}

export function afterSpaces(text: string, at: number): number {
  let next = at;
  while (text.charCodeAt(next) === SPACE) next++;
  return next;
}

export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw UNUSUAL;
}

export function inlineAt(text: string, at: number, depth: number): Node {
  checkDepth(depth);
  const first = text[at];
  if (first === '[') return listAt(text, at, depth);
  if (first === '{') return mappingAt(text, at, depth);
  const isQuoted = first === '"' || first === "'";
  const end = endOf(isQuoted ? QUOTED : PLAIN, text, at);
  if (end === -1 || text[end - 1] === ':') throw UNUSUAL;
  return { value: isQuoted ? text.slice(at + 1, end - 1) : plainValue(text.slice(at, end)), start: at, end };
}

/** Returns the end of the match of the sticky `pattern` at `at`, or -1. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function plainValue(text: string): unknown {
  if (text.charCodeAt(0) <= NINE) {
    if (INTEGER.test(text)) return Number(text);
    if (Number.isNaN(Number(text))) return text;
    throw UNUSUAL;
  }
  if (text.length > MAX_WORD) return text;
  const value = WORDS.get(text);
  if (value !== undefined) return value;
  if (WORDS.has(text.toLowerCase())) throw UNUSUAL;
  return text;
}

function listAt(text: string, start: number, depth: number): Node {
  const [value, starts]: [unknown[], number[]] = [[], []];
  const read = (at: number): Node => inlineAt(text, at, depth + 1);
  const end = readMembers(text, start, ']', (at) => {
    const item = read(at);
    value.push(item.value);
    starts.push(item.start);
    return item.end;
  });
  return { value, items: itemsOf(starts, read), start, end };
}

function mappingAt(text: string, start: number, depth: number): Node {
  const draft: MapDraft = { value: {}, entries: [] };
  const end = readMembers(text, start, '}', (at) => {
    const colon = keyEnd(text, at);
    if (colon === -1) throw UNUSUAL;
    const node = inlineAt(text, afterSpaces(text, colon), depth + 1);
    put(draft, text.slice(at, colon - 1), at, node);
    return node.end;
  });
  return { value: draft.value, entries: draft.entries, start, end };
}

function readMembers(text: string, start: number, close: string, read: (at: number) => number): number {
  let at = afterSpaces(text, start + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = afterSpaces(text, read(at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') throw UNUSUAL;
    at = afterSpaces(text, at + 1);
  }
}
