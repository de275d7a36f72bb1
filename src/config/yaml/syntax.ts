/** Parses YAML text into a syntax tree. Syntax errors have messages of this project. */
import {
  Composer,
  type Document,
  type ErrorCode,
  isCollection,
  isScalar,
  Lexer,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import type { Problem } from '../../model/errors.ts';
import { firstInvisible, TYPE_IT_PLAIN } from '../../util/look-alikes.ts';
import {
  type Finding,
  type Hidden,
  type ParsedDocument,
  problemAt,
  type Range,
  type Source,
} from '../read/source.ts';
import { documentOf, hideSecrets } from './nodes.ts';
import { toNodes } from './values.ts';

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

const STAR: Words = ['a text that starts with * must be in quotes', 'Write it as "*…", in quotes.'];
const TAB: Words = ['a tab indents this line', 'Indent with spaces.'];
const VARIABLE: Words = ['a variable between brackets must be in quotes', 'Put the text in quotes.'];
const BRACKET: Words = ['this bracket is not closed', 'Close it, and indent what it holds.'];
const UNCLEAR: Words = ['this does not belong here', 'Check the quotes, brackets and indentation around it.'];

const WORDS: Partial<Record<ErrorCode, Words>> = {
  BAD_SCALAR_START: ['a text without quotes cannot start with this character', 'Put the text in quotes.'],
  BAD_DQ_ESCAPE: ['unknown escape sequence', 'Write \\\\ for a backslash, or put the text in single quotes.'],
  BAD_INDENT: ['the indentation fits none of the lines above', 'Align it with the line that it belongs to.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a value cannot continue with a key',
    'Put a text that holds ": " in quotes, and align a further key with the first.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'this is not a key with a value',
    'Write "key: value", with a space; a record with settings begins with "- domain: ".',
  ],
  TAG_RESOLVE_FAILED: [
    'tags are not supported',
    'Remove the tag, or put a text that starts with ! in quotes.',
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
  remedy: 'Put it in a file of its own, and name both with -f.',
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
