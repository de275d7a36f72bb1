/** JSON as one list, and NDJSON with one value per line: a string is a domain, an object a record. */
import { parseJson } from '../../util/json.ts';
import { createMemory } from '../../util/memoize.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, rowOf, type Shape, shapeOf } from './columns.ts';
import {
  type BulkRow,
  DOMAIN_ALONE,
  faultAt,
  firstOf,
  linesOf,
  type Reader,
  type RowFault,
  SAMPLES,
} from './rows.ts';

/** The lines of a text, or the elements of its list, which is named `list` if it is in an object. */
export function jsonReader(text: string, columns: Columns, format: 'json' | 'ndjson'): Reader {
  const found = format === 'json' ? findList(text, columns) : undefined;
  const records = (): Iterable<Range | RowFault> => {
    if (found === undefined) return linesOf(text);
    return 'fault' in found ? [found] : elementsOf(text, found.start);
  };
  return {
    list: found !== undefined && 'name' in found ? found.name : undefined,
    *rows() {
      const toRow = createRows(text, columns, records);
      for (const record of records()) yield 'fault' in record ? record : toRow(record);
    },
    locate: (start, key) => nameIn(text, start, key),
  };
}

const MAX_SHAPES = 1000;

function createRows(
  text: string,
  columns: Columns,
  records: () => Iterable<Range | RowFault>,
): (range: Range) => BulkRow | RowFault {
  const memory = createMemory<Shape>(MAX_SHAPES);
  let values: ReadonlyMap<string, readonly unknown[]> | undefined;
  const shapeWith = (names: readonly string[], row: Range): Shape => {
    const known = memory.get(names);
    if (known !== undefined) return known;
    const keys = columns.keysOf(
      names,
      (index) => nameIn(text, row.start, names[index] ?? '') ?? row,
      (index) => {
        values ??= samplesOf(text, records());
        return values.get(names[index] ?? '') ?? [];
      },
    );
    const shape = shapeOf(keys, names);
    memory.keep(names, shape);
    return shape;
  };
  const read = (range: Range, json: string): BulkRow | RowFault => {
    const { start } = range;
    const value = parseJson(json);
    if (value === undefined) {
      return faultAt(start, 'this is not valid JSON', 'Check its quotes, commas and brackets.');
    }
    if (typeof value === 'string') return { start, keys: DOMAIN_ALONE, cells: [value] };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return faultAt(start, 'a record must be a domain as text, or an object with the key domain');
    }
    const { names, cells } = asWritten(json, value);
    const shape = shapeWith(names, range);
    const wrong = shape.alike ?? whatIsWrong(shape.keys, cells);
    return wrong === undefined ? rowOf(shape, start, cells) : faultAt(start, wrong);
  };
  return shareKinds(text, read);
}

/** The start of a record whose domain comes first and has no escapes. */
const OPENING = /^\{"domain": ?"([\w.-]+)"/;
/**
 * Signs that another value comes first or the domain is repeated: numeric keys come first, and the last domain counts.
 */
const OTHER_FIRST = /"domain"|"\d+"|\\/;
const MAX_KINDS = 10_000;

/** Parses records once that differ only in their domain. */
function shareKinds(text: string, read: (range: Range, json: string) => BulkRow | RowFault) {
  const kinds = new Map<string, BulkRow>();
  return (range: Range): BulkRow | RowFault => {
    const json = text.slice(range.start, range.end);
    const [opening, domain] = OPENING.exec(json) ?? [];
    if (opening === undefined) return read(range, json);
    const rest = json.slice(opening.length);
    const known = kinds.get(rest);
    if (known !== undefined) {
      return { start: range.start, keys: known.keys, cells: [domain, ...known.cells.slice(1)] };
    }
    const row = read(range, json);
    if ('cells' in row && kinds.size < MAX_KINDS && !OTHER_FIRST.test(rest)) kinds.set(rest, row);
    return row;
  };
}

const NAME_END = /"[ \t\n]*:/g;
/** Marks an object with a duplicate name. */
const TWICE = Symbol('twice');

/** The members of a record as written: JSON.parse drops duplicate names, also in nested objects. */
function asWritten(json: string, value: object): { names: readonly string[]; cells: readonly unknown[] } {
  const names = Object.keys(value);
  if ((json.match(NAME_END)?.length ?? 0) <= names.length) return { names, cells: Object.values(value) };
  const members = membersOf(json, skip(json, 0, SPACE));
  const cells = members.map(({ start, end }) => {
    const inner = membersOf(json, start).map(({ name }) => name);
    return new Set(inner).size < inner.length ? TWICE : parseJson(json.slice(start, end));
  });
  return { names: members.map(({ name }) => name), cells };
}

function whatIsWrong(keys: BulkRow['keys'], cells: readonly unknown[]): string | undefined {
  for (const [index, cell] of cells.entries()) {
    if (keys[index] === undefined) continue;
    if (cell === TWICE) return `duplicate name in ${keys[index]}`;
    if (isNested(cell)) return 'a value here is nested too deep';
  }
  return undefined;
}

function isNested(value: unknown): boolean {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.some((member) => typeof member === 'object' && member !== null);
}

function samplesOf(
  text: string,
  records: Iterable<Range | RowFault>,
): ReadonlyMap<string, readonly unknown[]> {
  const values = new Map<string, unknown[]>();
  for (const record of firstOf(records, SAMPLES)) {
    const value = 'fault' in record ? undefined : parseJson(text.slice(record.start, record.end));
    for (const [name, cell] of typeof value === 'object' ? Object.entries(value ?? {}) : []) {
      const cells = values.get(name) ?? [];
      values.set(name, cells);
      cells.push(cell);
    }
  }
  return values;
}

interface JsonList {
  readonly start: number;
  readonly name: string | undefined;
}

const MAX_DEPTH = 5;

/** The whole text, or the list of domains in an object, as APIs respond; `columns` may choose one of several. */
function findList(text: string, columns: Columns): JsonList | RowFault {
  const start = skip(text, 0, SPACE);
  if (text[start] !== '{') return { start, name: undefined };
  if (parseJson(text) === undefined)
    return faultAt(start, 'the file is not valid JSON', 'Check its quotes, commas and brackets.', 'format');
  const all = listsIn(text, start, []);
  const chosen = all.find(({ name }) => columns.choosesList(name));
  if (chosen !== undefined) return chosen;
  const [one, ...others] = all.filter((list) => holdsDomains(text, list, columns));
  if (one === undefined) {
    const remedy = 'Put the records between [ and ].';
    return faultAt(start, 'the file must be one list, or an object with one list of domains', remedy, 'list');
  }
  if (others.length === 0) return one;
  const names = [one, ...others].map(({ name }) => JSON.stringify(name));
  const message = `the file has ${names.length} lists of domains: ${names.join(', ')}`;
  return faultAt(start, message, undefined, 'list');
}

function listsIn(text: string, start: number, path: readonly string[]): (JsonList & { name: string })[] {
  return membersOf(text, start).flatMap(({ name, start: value }) => {
    const names = [...path, name];
    if (text[value] === '[') return [{ start: value, name: names.join('.') }];
    return text[value] === '{' && names.length < MAX_DEPTH ? listsIn(text, value, names) : [];
  });
}

function holdsDomains(text: string, { start }: JsonList, columns: Columns): boolean {
  for (const element of firstOf(elementsOf(text, start), SAMPLES)) {
    const value = 'fault' in element ? undefined : parseJson(text.slice(element.start, element.end));
    if (isDomain(value)) return true;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const cells: readonly unknown[] = Object.values(value);
    if (columns.domainsIn(Object.keys(value), (index) => [cells[index]]) !== undefined) return true;
  }
  return false;
}

function* elementsOf(text: string, start: number): Generator<Range | RowFault> {
  let at = start;
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
  // An object with a list in it was parsed already, so it is valid JSON.
  const isWhole = text[skip(text, 0, SPACE)] === '[';
  if (separator === ']' && (!isWhole || skip(text, at + 1, SPACE) === text.length)) return;
  yield faultAt(at, 'the list is broken here', 'Check the quotes, commas and brackets around it.', 'format');
}

interface Member extends Range {
  readonly name: string;
  readonly nameRange: Range;
}

function membersOf(text: string, start: number): readonly Member[] {
  const members: Member[] = [];
  let at = text[start] === '{' ? skip(text, start + 1, SPACE) : start;
  while (at > start && text[at] === '"') {
    const nameRange = { start: at, end: endOf(text, at) };
    const value = skip(text, skip(text, nameRange.end, SPACE) + 1, SPACE);
    const end = endOf(text, value);
    members.push({ name: JSON.parse(text.slice(at, nameRange.end)), nameRange, start: value, end });
    at = skip(text, skip(text, end, SPACE) + 1, SPACE);
  }
  return members;
}

function nameIn(text: string, start: number, name: string): Range | undefined {
  return membersOf(text, skip(text, start, SPACE)).find((member) => member.name === name)?.nameRange;
}

const SPACE = /[ \t\n]*/y;
const WORD = /[^\s,[\]{}"]+/y;
/** Text without brackets; bounded, since the expression backtracks over all of it. */
const NO_BRACKETS = /(?:[^"[\]{}]+|"[^"\\]*"){0,64}/y;

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The end of the value at `start`; `start` itself for a value that is missing or not closed. */
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

function depthOf(character: string): number {
  return '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0;
}

/** The end of the quoted text at `start`; `start` itself if it is not closed. */
function endOfText(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1 || start;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}
