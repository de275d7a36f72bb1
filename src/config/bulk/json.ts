/** Reads JSON as one list, and NDJSON as one value per line. A string is a domain, an object is a record. */
import { isObject, parseJson } from '../../util/json.ts';
import { shareMade } from '../../util/memoize.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain, plainName, type ValuesOf } from './columns.ts';
import {
  type BulkReader,
  type BulkRow,
  checkedRow,
  DOMAIN_ALONE,
  faultAt,
  firstItems,
  linesOf,
  MAX_SAMPLES,
  type RowFault,
  type RowStart,
  type Shape,
  skip,
} from './rows.ts';

const MAX_SHAPES = 1000;
const CHECK = 'Check its quotes, commas and brackets.';

/** Reads the lines of a text, or the elements of its list. If the list is in an object, `list` is its name. */
export function jsonReader(text: string, columns: Columns, format: 'json' | 'ndjson'): BulkReader {
  const isList = format === 'json';
  const found = isList ? findList(text, columns) : { start: 0, name: '' };
  const records = (): Iterable<Range | RowFault> => {
    if ('fault' in found) return [found];
    return isList ? partsOf(text, found.start) : linesOf(text);
  };
  const shared = shareMade<Shape>(MAX_SHAPES);
  let samples: readonly unknown[] | undefined;
  const shapeOf = (start: number, names: readonly string[]): Shape =>
    shared(names, () => {
      const valuesOf: ValuesOf = (index) => {
        samples ??= firstValues(text, records());
        const name = names[index] ?? '';
        return samples.map((value) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : ''));
      };
      return columns.shapeOf(names, valuesOf, start);
    });
  return {
    list: 'name' in found && found.name !== '' ? found.name : undefined,
    *rows(take) {
      for (const record of records()) {
        if ('fault' in record) return yield record;
        const start = startOf(text, record);
        if (take?.(start)) continue;
        const row =
          readRecord(text.slice(record.start, record.end), start, shapeOf) ??
          faultAt(record.start, 'this is not valid JSON', CHECK, isList && 'layout');
        yield row;
        if ('fault' in row && row.fatal) return;
      }
    },
    cellsAt(start) {
      const members = [...membersOf(text, skip(text, start, SPACE))];
      const names = members.map(({ name }) => name);
      return {
        shape: shapeOf(start, names),
        cells: members.map((member) => JSON.parse(text.slice(member.start, member.end))),
        ranges: members.map(({ nameRange }) => nameRange),
      };
    },
  };
}

/** Matches the start of a record whose domain comes first. */
const OPENING = /\{"domain": ?"/y;

function startOf(text: string, { start, end }: Range): RowStart {
  const domain = skip(text, start, OPENING);
  if (domain === start) return { start };
  const quote = text.indexOf('"', domain);
  return { start, domain: text.slice(domain, quote), rest: text.slice(quote + 1, end) };
}

function firstValues(text: string, records: Iterable<Range | RowFault>): readonly unknown[] {
  return Array.from(firstItems(records, MAX_SAMPLES), (record) =>
    'fault' in record ? undefined : parseJson(text.slice(record.start, record.end)),
  );
}

/** Returns `undefined` for a text that is not JSON. */
function readRecord(
  json: string,
  at: RowStart,
  shapeOf: (start: number, names: readonly string[]) => Shape,
): BulkRow | RowFault | undefined {
  const { start } = at;
  const value = parseJson(json);
  if (value === undefined) return undefined;
  if (typeof value === 'string') return { start, shape: DOMAIN_ALONE, cells: [value] };
  if (!isObject(value)) return faultAt(start, 'a record must be a domain, or an object with the key domain');
  const names = Object.keys(value);
  // Duplicate names are searched in the text, because JSON.parse drops them without an error.
  const isSuspect = (json.match(NAME_END)?.length ?? 0) > names.length;
  const twice = isSuspect ? duplicateIn(json, skip(json, 0, SPACE)) : undefined;
  if (twice !== undefined)
    return faultAt(start, `two values are named ${twice}`, 'Remove one of the two values.');
  return checkedRow({ ...at, shape: shapeOf(start, names), cells: Object.values(value) });
}

const NAME_END = /"[ \t\n]*:/g;

function duplicateIn(json: string, start: number): string | undefined {
  const known = new Set<string>();
  for (const { name, start: value } of membersOf(json, start)) {
    if (known.has(name)) return name;
    known.add(name);
    const inner = duplicateIn(json, value);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

interface JsonList {
  readonly start: number;
  /** Names of the members that lead to the list, or empty. */
  readonly name: string;
}

const MAX_DEPTH = 5;
const BETWEEN = 'Put the records between [ and ].';

/** Finds the list: the whole text, or one in an object, as in an API response. `columns` may choose one of several. */
function findList(text: string, columns: Columns): JsonList | RowFault {
  const start = skip(text, 0, SPACE);
  if (text[start] === '[') return { start, name: '' };
  if (text[start] !== '{') return faultAt(start, 'the file must be one list', BETWEEN, 'layout');
  if (parseJson(text) === undefined) return faultAt(start, 'the file is not valid JSON', CHECK, 'layout');
  const all = [...listsIn(text, start, [])];
  const chosen = all.find(({ name }) => columns.renames.get(plainName(name)) === 'domain');
  if (chosen !== undefined) return chosen;
  const [one, ...others] = all.filter((list) => holdsDomains(text, list, columns));
  if (one === undefined) {
    const message = 'the file must be one list, or an object with one list of domains';
    return faultAt(start, message, BETWEEN, 'layout');
  }
  if (others.length === 0) return one;
  const names = [one, ...others].map(({ name }) => JSON.stringify(name));
  const message = `the file has ${names.length} lists of domains: ${names.join(', ')}`;
  return faultAt(start, message, undefined, 'layout');
}

function* listsIn(text: string, start: number, path: readonly string[]): Generator<JsonList> {
  for (const { name, start: value } of membersOf(text, start)) {
    const names = [...path, name];
    if (text[value] === '[') yield { start: value, name: names.join('.') };
    else if (names.length < MAX_DEPTH) yield* listsIn(text, value, names);
  }
}

function holdsDomains(text: string, { start }: JsonList, columns: Columns): boolean {
  return firstValues(text, partsOf(text, start)).some((value) => {
    if (!isObject(value)) return isDomain(value);
    const cells = Object.values(value);
    return columns.domainsIn(Object.keys(value), (index) => [cells[index]]) !== undefined;
  });
}

interface JsonMember extends Range {
  readonly name: string;
  readonly nameRange: Range;
}

/** Returns the members of the object at `start`, which must be valid JSON. Returns nothing for any other value. */
function* membersOf(text: string, start: number): Generator<JsonMember> {
  if (text[start] !== '{') return;
  for (const part of partsOf(text, start)) {
    if ('fault' in part) return;
    const nameRange = { start: part.start, end: endOfText(text, part.start) };
    const value = skip(text, skip(text, nameRange.end, SPACE) + 1, SPACE);
    yield {
      name: JSON.parse(text.slice(nameRange.start, nameRange.end)),
      nameRange,
      start: value,
      end: part.end,
    };
  }
}

const SPACE = /[ \t\n]*/y;
const COMMA = 0x2c;
const QUOTE = 0x22;

/**
 * Returns the parts of the list or object at `open`, between its commas. Returns a fault if it is not closed, or if
 * other text follows.
 */
function* partsOf(text: string, open: number): Generator<Range | RowFault> {
  let [depth, start] = [0, open + 1];
  for (let at = open; at < text.length && (depth > 0 || at === open); at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at) - 1;
    else depth += nesting(code);
    if (depth > 1 || (depth === 1 && code !== COMMA)) continue;
    const first = skip(text, start, SPACE);
    const isEmpty = depth === 0 && start === open + 1 && first === at;
    if (!isEmpty) yield { start: first, end: at };
    start = at + 1;
  }
  const end = skip(text, start, SPACE);
  // The object around the list was already parsed as a whole.
  if (depth === 0 && (end === text.length || skip(text, 0, SPACE) !== open)) return;
  yield faultAt(end, 'the list is broken here', 'Check the quotes, commas and brackets around it.', 'layout');
}

/** Returns the change of depth at a character, which is given by its code. */
function nesting(code: number): -1 | 0 | 1 {
  if (code === 0x5b || code === 0x7b) return 1;
  return code === 0x5d || code === 0x7d ? -1 : 0;
}

/** Returns the end of the string literal at `start`, or of the text if it is not closed. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}
