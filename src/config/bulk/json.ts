/** JSON, as one list, and NDJSON, a value a line: a text is a domain, an object a record. */

import { parseJson } from '../../util/json.ts';
import { createMemory } from '../../util/memoize.ts';
import type { Range } from '../read/source.ts';
import { type Columns, NAMELESS, twoAlike } from './columns.ts';
import { elementsOf, findList } from './json-list.ts';
import { endOf, membersOf, SPACE, skip } from './json-scan.ts';
import { createLineReader } from './memoize-lines.ts';
import {
  type BulkRow,
  DOMAIN_ALONE,
  endOfLine,
  faultAt,
  firstOf,
  isBlank,
  linesOf,
  type Reader,
  type RowFault,
  SAMPLES,
} from './rows.ts';

export function ndjsonReader(text: string, columns: Columns): Reader {
  return {
    *rows() {
      const toRow = createLineReader(createRows(text, columns, () => linesIn(text)));
      for (const { start, line } of linesOf(text)) if (!isBlank(line)) yield toRow(start, line);
    },
    locate: (start, key) => keyRange(text, { start, end: endOfLine(text, start) }, key),
  };
}

/** The list that a text is, or the one list of domains in it, which `list` then is the name of. */
export function jsonReader(text: string, columns: Columns): Reader {
  const found = findList(text, columns);
  return {
    list: 'name' in found ? found.name : undefined,
    *rows() {
      if ('fault' in found) {
        yield found;
        return;
      }
      const toRow = createRows(text, columns, () => elementsOf(text, found.start));
      for (const element of elementsOf(text, found.start)) {
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
function createRows(
  text: string,
  columns: Columns,
  records: () => Iterable<Range | RowFault>,
): (start: number, json: string) => BulkRow | RowFault {
  // Records of one list mostly have the same members.
  const memory = createMemory<Shape>(MOST_SHAPES);
  let values: ReadonlyMap<string, readonly unknown[]> | undefined;
  const shapeOf = (names: readonly string[], start: number, end: number): Shape => {
    const known = memory.get(names);
    if (known !== undefined) return known;
    const row = { start, end };
    const keys = columns.keysOf(
      names,
      (index) => keyRange(text, row, names[index] ?? '') ?? row,
      (index) => {
        values ??= samplesOf(text, records());
        return values.get(names[index] ?? '') ?? [];
      },
    );
    const shape = { keys, unnamed: names.indexOf(''), alike: twoAlike(keys) };
    memory.keep(names, shape);
    return shape;
  };
  /** Of a name that is written twice JSON.parse gives one. */
  const shapeAsWritten = (start: number, json: string, names: readonly string[]): Shape => {
    const end = start + json.length;
    const shape = shapeOf(names, start, end);
    if (!mayHaveMore(json, names.length)) return shape;
    const members = membersOf(json, json.indexOf('{'));
    const { keys, alike } = shapeOf(
      members.map(({ name }) => name),
      start,
      end,
    );
    const within = keys.find((key, index) => key !== undefined && hasTwice(json, members[index]));
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

function* linesIn(text: string): Generator<Range> {
  for (const { start, line } of linesOf(text)) yield { start, end: start + line.length };
}

/** What the first records have under each name. */
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

/** How a name ends; some texts hold it too. */
const NAME_END = /"[ \t\n]*:/g;

/** Whether an object may be written with more than `count` names. */
function mayHaveMore(json: string, count: number): boolean {
  NAME_END.lastIndex = 0;
  for (let left = count; left > 0; left--) if (!NAME_END.test(json)) return false;
  return NAME_END.test(json);
}

/** Whether a name is written twice in what may be an object. */
function hasTwice(json: string, value: Range | undefined): boolean {
  if (value === undefined || json[value.start] !== '{') return false;
  const names = membersOf(json, value.start).map(({ name }) => name);
  return new Set(names).size < names.length;
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
