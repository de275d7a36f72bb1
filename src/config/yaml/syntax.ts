/** Parses YAML text into nodes with places. Syntax errors have messages of this project. */
import {
  Composer,
  type Document,
  type ErrorCode,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  type Pair,
  Parser,
  Scalar,
  type Node as SyntaxNode,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Problem } from '../../model/errors.ts';
import { isObject } from '../../util/json.ts';
import { firstInvisible, TYPE_IT_PLAIN } from '../../util/look-alikes.ts';
import {
  type Finding,
  type Hidden,
  type ParsedDocument,
  problemAt,
  type Range,
  type Source,
} from '../read/source.ts';
import { withoutSecret } from '../secrets/words.ts';
import { documentOf, hideSecrets, type MapEntry, type Node } from './nodes.ts';

/** Maximum depth. A configuration has six levels; a much deeper file would overflow the stack. */
const MAX_DEPTH = 64;

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  resolveKnownTags: false,
  // Duplicate keys are found later in the tree, because the library needs quadratic time.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

type Words = readonly [message: string, remedy: string];

const STAR: Words = ['a value that starts with * must be in quotes', 'Write the value in quotes: "*…".'];
const TAB: Words = ['a tab indents this line', 'Indent with spaces.'];
const VARIABLE: Words = ['a variable between brackets must be in quotes', 'Put the value in quotes.'];
const BRACKET: Words = ['this bracket is not closed', 'Close it, and indent its content.'];
const UNCLEAR: Words = ['this does not belong here', 'Check the quotes, brackets and indentation around it.'];

const WORDS: Partial<Record<ErrorCode, Words>> = {
  BAD_SCALAR_START: ['a value without quotes cannot start with this character', 'Put the value in quotes.'],
  BAD_DQ_ESCAPE: [
    'unknown escape sequence',
    'Write \\\\ for a backslash, or put the value in single quotes.',
  ],
  BAD_INDENT: [
    'the indentation fits none of the lines above',
    'Align this line with the line that it belongs to.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'a value cannot continue with a key',
    'Put a value that contains ": " in quotes, and align a further key with the first key.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'this is not a key with a value',
    'Write "key: value", with a space. A record with settings begins with "- domain: ".',
  ],
  TAG_RESOLVE_FAILED: [
    'tags are not supported',
    'Remove the tag, or put a value that starts with ! in quotes.',
  ],
};

/** Starts of the library's messages about an item with the wrong indentation. */
const BAD_INDENTS = ['Sequence item without', 'A block sequence may not be used as an implicit map key'];

const TOO_DEEP: Finding = {
  message: 'this is nested too deep',
  remedy: 'Check the brackets, hyphens and indentation before it.',
};
const SECOND_DOCUMENT: Finding = {
  message: 'a second document starts here',
  remedy: 'Move it to a separate file, and pass both files with -f.',
};

/** Parses a source. If there is no document, the problems contain the reason. Never throws. */
export function parseYaml(source: Source): { document?: ParsedDocument; problems: readonly Problem[] } {
  const tree = composeYaml(source);
  if (!('contents' in tree)) return { problems: [tree] };
  const problems: Problem[] = [];
  const top = toNodes(tree, (range, finding) => problems.push(problemAt(source, range, finding)));
  if (problems.length > 0) return { problems };
  let known: Hidden | undefined;
  const hidden: Hidden = (line) => {
    known ??= hideSecrets(source, top);
    return known(line);
  };
  return { document: documentOf(source, top, hidden), problems };
}

/** A part of a large file that is read first. Its cut end causes errors, so the last part does not count. */
const [BEGINNING, UNDISTURBED] = [65_536, 61_440];

/** Returns the syntax tree of a source, or its first error: after an error, the rest may be parsed wrongly. */
export function composeYaml(source: Source): Document.Parsed | Problem {
  const { text } = source;
  // A large file with many errors would take minutes to read.
  const early = text.length > BEGINNING && compose(source, text.slice(0, BEGINNING), UNDISTURBED);
  return early && !('contents' in early) ? early : compose(source, text, text.length);
}

/** Only errors that start before `limit` count. */
function compose(source: Source, text: string, limit: number): Document.Parsed | Problem {
  const stop = { at: Number.POSITIVE_INFINITY };
  const [document, second] = new Composer(OPTIONS).compose(tokens(text, stop), true, text.length);
  if (document === undefined) throw new Error('A composed text has no document.');
  const tags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const [error] = [...document.errors, ...tags].sort((a, b) => a.pos[0] - b.pos[0]);
  // If a colon is missing, every later line is nested too deeply. The missing colon is reported.
  if (error !== undefined && error.pos[0] <= limit && error.pos[1] < stop.at) {
    const { words, ...range } = whatIsWrong(source, document, error);
    return problemAt(source, range, { message: words[0], remedy: words[1] });
  }
  if (stop.at < limit) return problemAt(source, { start: stop.at, end: stop.at + 1 }, TOO_DEEP);
  const start = second?.range[0] ?? limit;
  if (start >= limit) return document;
  return problemAt(source, { start, end: start + 3 }, SECOND_DOCUMENT);
}

/**
 * Returns the parser's tokens up to the first error or up to the maximum depth. After an error, the parser would
 * report every line.
 */
function* tokens(text: string, stop: { at: number }): ReturnType<Parser['parse']> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      yield token;
      if (token.type === 'error') return;
    }
    if (parser.stack.length > MAX_DEPTH) {
      stop.at = parser.offset - lexeme.length;
      break;
    }
  }
  yield* parser.end();
}

/** Messages of the library are replaced, because they quote the text, which may be a secret. */
function whatIsWrong(source: Source, document: Document.Parsed, error: YAMLError): Range & { words: Words } {
  const [start, end] = error.pos;
  const isTab = error.code === 'TAB_AS_INDENT' || /^ *\t/.test(source.lineAt(source.placeAt(start).line));
  if (isTab) return { start, end, words: TAB };
  const odd = falseSpace(source, start);
  if (odd !== undefined) return odd;
  if (source.text.startsWith('${', start - 1)) return { start, end, words: VARIABLE };
  if (source.text[start] === '*') return { start, end, words: STAR };
  if (error.message.startsWith('Missing closing')) {
    return { ...opening(document, start), words: ['this quote is not closed', 'Close it.'] };
  }
  if (error.message.startsWith('Flow ')) return { ...opening(document, start), words: BRACKET };
  const code = BAD_INDENTS.some((words) => error.message.startsWith(words)) ? 'BAD_INDENT' : error.code;
  return { start, end, words: WORDS[code] ?? UNCLEAR };
}

/** Finds an invisible character, or one that looks like a space, in the line of an error. */
function falseSpace(source: Source, offset: number): (Range & { words: Words }) | undefined {
  const place = source.placeAt(offset);
  const line = source.lineAt(place.line);
  const oddity = firstInvisible(line);
  if (oddity === undefined) return undefined;
  const index = line.indexOf(oddity.character);
  if (!/(?:^|[-:,?[{])[ \t]*$/.test(line.slice(0, index))) return undefined;
  const start = offset - (place.column - 1) + index;
  const words = [`found ${oddity.name}, which YAML reads as text`, TYPE_IT_PLAIN] as const;
  return { start, end: start + oddity.character.length, words };
}

function opening(document: Document.Parsed, offset: number): Range {
  let start = offset;
  visit(document, {
    Node(_, node) {
      const isOpened = isScalar(node) ? node.type?.startsWith('QUOTE') : isCollection(node) && node.flow;
      const range = node.range;
      if (isOpened && range != null && range[0] < offset && range[1] >= offset) start = range[0];
    },
  });
  return { start, end: start + 1 };
}

/** Maximum number of values after aliases are expanded. 10,000 records that merge 30 values have 300,000. */
const MAX_VALUES = 10_000_000;

const NO_ANCHOR: Finding = {
  message: 'this alias has no anchor above it: a value that starts with * is an alias',
  remedy: 'Put the value in quotes, or define the anchor first.',
};
const CIRCLE: Finding = {
  message: 'this alias is inside the value that it refers to',
  remedy: 'Write the value instead of the alias.',
};
const TOO_MUCH: Finding = {
  message: `the aliases up to this one expand to more than ${MAX_VALUES / 1e6} million values`,
  remedy: 'Replace aliases that refer to other aliases with their values.',
};
const MERGE: Finding = {
  message: 'the value of << is neither a map nor a list of maps',
  remedy: 'Merge an anchored map: "<<: *name".',
};
const SECOND_MERGE: Finding = {
  message: 'the key << is given twice in one map',
  remedy: 'Merge several maps with one key: "<<: [*one, *two]".',
};
const NO_KEY: Finding = { message: 'a value without a key', remedy: 'Write a name before the colon.' };

type PlainMap = Record<string, unknown>;

/** The node of an anchor, and its number of values. Without a node while the anchor is being read. */
interface Anchored {
  node?: Node;
  size: number;
}

/** After an error, some values may differ from the file. */
export function toNodes(document: Document.Parsed, report: (range: Range, finding: Finding) => void): Node {
  const anchors = new Map<string, Anchored>();
  let size = 0;

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
      at: (index: number): Node => nodes[index] as Node,
    };
    return { value: nodes.map(({ value }) => value), items };
  };

  const follow = (name: string, range: Range): Node => {
    const anchored = anchors.get(name);
    const isLast = size <= MAX_VALUES;
    size += anchored?.size ?? 0;
    if (anchored?.node === undefined) report(range, anchored === undefined ? NO_ANCHOR : CIRCLE);
    else if (size <= MAX_VALUES) return anchored.node;
    else if (isLast) report(range, TOO_MUCH);
    return { ...range, value: undefined };
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
    if (!isScalar(key)) report(rangeIn(key), { ...NO_KEY, message: 'a key must be a plain string' });
    // The text before the colon is missing. The library gives a wrong place for the key, and the right one for the
    // value.
    else if (key.value === null && key.source === '') report(range, NO_KEY);
    else if (!Object.hasOwn(object, name)) set(object, name, node.value);
    else {
      report(rangeIn(key), {
        message: `the key ${withoutSecret(name)} is given twice in one map`,
        remedy: 'Remove one of the two keys.',
      });
    }
  };

  const sourcesOf = (node: Node, range: Range): readonly Node[] => {
    const { items } = node;
    const sources = items === undefined ? [node] : items.starts.map((_, index) => items.at(index));
    if (sources.every(({ value }) => value === undefined || isObject(value))) return sources;
    report(range, MERGE);
    return [];
  };

  return convert(document.contents);
}

function entryOf(key: SyntaxNode, node: Node): MapEntry {
  const { start: at, end } = rangeIn(key);
  return {
    key: isScalar(key) ? String(key.value) : '',
    at,
    end,
    node: node.end > node.start ? node : { ...node, start: at, end },
  };
}

/** Existing keys stay, so that earlier maps override later ones (yaml.org/type/merge). */
function addMissing(value: PlainMap, entries: MapEntry[], source: Node): void {
  for (const entry of source.entries ?? []) {
    if (Object.hasOwn(value, entry.key) || !Object.hasOwn(source.value as PlainMap, entry.key)) continue;
    set(value, entry.key, entry.node.value);
    entries.push(entry);
  }
}

export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
}

function set(object: PlainMap, key: string, value: unknown): void {
  // A plain assignment to __proto__ would not create a key.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true });
  else object[key] = value;
}

function rangeIn(node: SyntaxNode | null | undefined): Range {
  const [start, end] = node?.range ?? [0, 0];
  return { start, end };
}
