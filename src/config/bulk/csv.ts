/**
 * Text → cells (RFC 4180, with any delimiter). As spreadsheets read it, a value is quoted only where it begins with a
 * double quote; one inside a value that does not, such as `12" screen`, is a character like any other.
 */
import { trimPlain } from '../../util/look-alikes.ts';
import type { Range } from '../read/source.ts';
import { endOfLine, faultAt, isBlank, type RowFault } from './rows.ts';

/** A record before its columns are known. */
export interface Cells {
  readonly start: number;
  readonly cells: readonly string[];
}

/** Every record that is not blank; after a fault there are no more. */
export function* readRecords(text: string, delimiter: string): Generator<Cells | RowFault, void> {
  for (let start = 0; start < text.length; ) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end);
    if (!line.includes('"')) {
      if (!isBlank(line)) yield { start, cells: line.split(delimiter).map(trimPlain) };
      start = end + 1;
      continue;
    }
    const record = readQuoted(text, start, delimiter);
    yield record;
    if ('fault' in record) return;
    start = record.end + 1;
  }
}

/** The record that starts at `start`, which may go on for lines. */
function readQuoted(text: string, start: number, delimiter: string): (Cells & { end: number }) | RowFault {
  const cells: string[] = [];
  for (let at = start; ; at++) {
    const cell = cellAt(text, at, delimiter);
    if ('fault' in cell) return cell;
    cells.push(trimPlain(cell.value));
    at = cell.end;
    if (text[at] !== delimiter) return { start, cells, end: at };
  }
}

interface Cell {
  readonly value: string;
  /** Where the delimiter or the line end behind it is. */
  readonly end: number;
}

function cellAt(text: string, start: number, delimiter: string): Cell | RowFault {
  const first = afterBlanks(text, start, delimiter);
  if (text[first] !== '"') {
    const end = endOfPlain(text, start, delimiter);
    return { value: text.slice(start, end), end };
  }
  const close = closingQuote(text, first);
  if (close === -1) {
    const remedy = 'Close the value with a double quote, and write each double quote inside it twice.';
    return faultAt(first, 'the double quote that opens this value is not closed', remedy, 'quotes');
  }
  const end = afterBlanks(text, close + 1, delimiter);
  if (end < text.length && text[end] !== delimiter && text[end] !== '\n') {
    const remedy = 'Write each double quote inside a quoted value twice.';
    return faultAt(end, 'text follows the double quote that closes a value', remedy, 'quotes');
  }
  return { value: text.slice(first + 1, close).replaceAll('""', '"'), end };
}

function afterBlanks(text: string, start: number, delimiter: string): number {
  let at = start;
  while (text[at] !== delimiter && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

function endOfPlain(text: string, start: number, delimiter: string): number {
  let at = start;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at++;
  return at;
}

/** Where the value whose opening quote is at `open` is closed; -1 where it is not. */
function closingQuote(text: string, open: number): number {
  let quote = text.indexOf('"', open + 1);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

/** Where the cells of the record that starts at `start` are. */
export function cellRanges(text: string, start: number, delimiter: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = start; ; at++) {
    const found = cellAt(text, at, delimiter);
    const end = 'fault' in found ? endOfLine(text, at) : found.end;
    ranges.push({ start: at, end });
    if (text[end] !== delimiter) return ranges;
    at = end;
  }
}
