/** JSON, as one list, and NDJSON, a value a line: a text is a domain, an object a record. */
import { parseJson } from '../../util/json.ts';
import { createMemory } from '../../util/memoize.ts';
import type { Range } from '../read/source.ts';
import { type Columns, NAMELESS, twoAlike } from './columns.ts';
import { createLineReader } from './memoize-lines.ts';
import {
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  isBlank,
  linesOf,
  type Reader,
  type RowFault,
} from './rows.ts';

export function ndjsonReader(text: string, columns: Columns): Reader {
  return {
    *rows() {
      const toRow = createLineReader(createRows(text, columns));
      for (const { start, line } of linesOf(text)) if (!isBlank(line)) yield toRow(start, line);
    },
    locate: (start, key) => keyRange(text, { start, end: endOfLine(text, start) }, key),
  };
}

export function jsonReader(text: string, columns: Columns): Reader {
  return {
    *rows() {
      const toRow = createRows(text, columns);
      for (const element of elementsOf(text)) {
        yield 'fault' in element ? element : toRow(element.start, text.slice(element.start, element.end));
      }
    },
    // A record may go on for lines, up to the last of which a key is looked for.
    locate: (start, key) => keyRange(text, { start, end: endOf(text, start) }, key),
  };
}

/** So many different sets of names are remembered. */
const MOST_SHAPES = 1000;

/** What records with the same names have in common. */
interface Shape {
  readonly keys: BulkRow['keys'];
  /** Which value has an empty name; -1 where none has. */
  readonly unnamed: number;
  /** What is wrong where two names mean the same key. */
  readonly alike: string | undefined;
}

/** A function from the JSON of a record to its row. */
function createRows(text: string, columns: Columns): (start: number, json: string) => BulkRow | RowFault {
  // Records of one list mostly have the same members.
  const memory = createMemory<Shape>(MOST_SHAPES);
  const shapeOf = (names: readonly string[], start: number, end: number): Shape => {
    const known = memory.get(names);
    if (known !== undefined) return known;
    const row = { start, end };
    const keys = columns.keysOf(names, (index) => keyRange(text, row, names[index] ?? '') ?? row);
    const shape = { keys, unnamed: names.indexOf(''), alike: twoAlike(keys) };
    memory.keep(names, shape);
    return shape;
  };
  /** Of a name that is written twice JSON.parse gives one. */
  const shapeAsWritten = (start: number, json: string, names: readonly string[]): Shape => {
    const end = start + json.length;
    const shape = shapeOf(names, start, end);
    if (!mayHaveMore(json, names.length)) return shape;
    const members = membersOf(json);
    const { keys, alike } = shapeOf(
      members.map(([name]) => name),
      start,
      end,
    );
    const within = keys.find((key, index) => key !== undefined && hasTwice(members[index]?.[1] ?? ''));
    return { ...shape, alike: alike ?? (within && `duplicate name in ${within}`) };
  };
  return (start, json) => {
    const value = parseJson(json);
    if (value === undefined) {
      return faultAt(start, 'this is not valid JSON', 'Check its quotes, commas and brackets.');
    }
    if (typeof value === 'string') return { start, keys: DOMAIN_ALONE, cells: [value] };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return faultAt(start, 'a record must be a domain as text, or an object with the key domain');
    }
    const { keys, unnamed, alike } = shapeAsWritten(start, json, Object.keys(value));
    if (alike !== undefined) return faultAt(start, alike);
    const cells: unknown[] = Object.values(value);
    if ((cells[unnamed] ?? '') !== '') return { start, fault: NAMELESS, fatal: false };
    if (cells.some((cell, index) => keys[index] !== undefined && isNested(cell))) {
      return faultAt(start, 'a value here is nested too deep');
    }
    return { start, keys, cells };
  };
}

/** How a name ends; some texts hold it too. */
const NAME_END = /"[ \t\n]*:/g;

/** Whether an object may be written with more than `count` names. */
function mayHaveMore(json: string, count: number): boolean {
  NAME_END.lastIndex = 0;
  for (let left = count; left > 0; left--) if (!NAME_END.test(json)) return false;
  return NAME_END.test(json);
}

/** Whether duplicate name in what may be an object. */
function hasTwice(json: string): boolean {
  const names = json.startsWith('{') ? membersOf(json).map(([name]) => name) : [];
  return new Set(names).size < names.length;
}

/** The names of an object as they are written, each with its value. */
function membersOf(json: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let at = skip(json, json.indexOf('{') + 1, SPACE);
  while (json[at] === '"') {
    const end = endOfText(json, at);
    const value = skip(json, skip(json, end, SPACE) + 1, SPACE);
    const endOfValue = endOf(json, value);
    members.push([JSON.parse(json.slice(at, end)), json.slice(value, endOfValue)]);
    at = skip(json, skip(json, endOfValue, SPACE) + 1, SPACE);
  }
  return members;
}

function isNested(value: unknown): boolean {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.some((member) => typeof member === 'object' && member !== null);
}

/** Where a name stands in a record, before its colon; an alias of it is not looked for. */
function keyRange(text: string, row: Range, key: string): Range | undefined {
  const name = JSON.stringify(key);
  const json = text.slice(row.start, row.end);
  let at = json.indexOf(name);
  while (at !== -1 && !isFollowedByColon(json, at + name.length)) at = json.indexOf(name, at + 1);
  return at === -1 ? undefined : { start: row.start + at, end: row.start + at + name.length };
}

function isFollowedByColon(text: string, at: number): boolean {
  return text[skip(text, at, SPACE)] === ':';
}

const SPACE = /[ \t\n]*/y;
/** A number or word. */
const WORD = /[^\s,[\]{}"]+/y;
/** What is of no account where brackets are counted; only so much at once, since an expression goes back over all of it. */
const NO_BRACKETS = /(?:[^"[\]{}]+|"[^"\\]*"){0,64}/y;

/** The elements of the one list that a text is. */
function* elementsOf(text: string): Generator<Range | RowFault> {
  let at = skip(text, 0, SPACE);
  if (text[at] !== '[') {
    yield faultAt(at, 'the file must be one list', 'Put the records between [ and ].', 'format');
    return;
  }
  let separator: string | undefined = '[';
  do {
    at = skip(text, at + 1, SPACE);
    const end = endOf(text, at);
    if (end > at) yield { start: at, end };
    else if (separator === ',' || text[at] === ',') break;
    at = skip(text, end, SPACE);
    separator = text[at];
  } while (separator === ',');
  if (separator === ']' && skip(text, at + 1, SPACE) === text.length) return;
  yield faultAt(at, 'the list is broken here', 'Check the quotes, commas and brackets around it.', 'format');
}

/** The end of what `pattern`, a sticky one, matches at `at`. */
function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where the value that starts at `start` ends; `start` itself where there is none, or no end. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at = skip(text, at, NO_BRACKETS)) {
    const character = text[at] ?? '';
    if (depth === 0 && !'[{'.includes(character)) {
      return character === '"' ? endOfText(text, start) : skip(text, start, WORD);
    }
    const end = character === '"' ? endOfText(text, at) : at + 1;
    if (end === at) return start;
    depth += depthOf(character);
    at = end;
    if (depth === 0) return at;
  }
  return start;
}

/** What a character adds to the depth of brackets. */
function depthOf(character: string): number {
  return '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0;
}

/** Where the text in quotes that starts at `start` ends; `start` itself where it does not. */
function endOfText(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1 || start;
}

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}
