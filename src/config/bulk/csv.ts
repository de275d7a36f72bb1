/**
 * Text → cells (RFC 4180, with any delimiter). Records without a quote are split here, many times faster
 * than by the library, which reads the others.
 */
import type { Range } from '../source.ts';
import { type Fault, faultAt, isBlank, linesOf } from './rows.ts';

/** A record before its columns are known. */
export interface Cells {
  readonly start: number;
  readonly cells: readonly string[];
}

/** Reads a text of whole records; throws where its quotes are wrong. */
export type ParseCsv = (text: string, delimiter: string) => string[][];

/** Worth its time where a text has quotes, and there alone. */
export async function loadCsvParser(): Promise<ParseCsv> {
  const { parse } = await import('csv-parse/sync');
  return (text, delimiter) =>
    parse(text, {
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      trim: true,
      max_record_size: 0,
    });
}

/** Every record that is not blank; after a fault there are no more. */
export function* readRecords(
  text: string,
  delimiter: string,
  parse: ParseCsv | undefined,
): Generator<Cells | Fault, void> {
  for (const piece of piecesOf(text)) {
    const records = recordsOf(piece, delimiter, parse);
    if ('fault' in records) {
      yield records;
      return;
    }
    for (const [index, cells] of records.entries()) {
      yield { start: piece.starts[index] ?? 0, cells: cells.map((cell) => cell.trim()) };
    }
  }
}

/** So many characters go to the library at once. */
const PIECE = 1 << 18;

interface Piece {
  /** Where each of its records starts. */
  readonly starts: number[];
  readonly lines: string[];
  quoted: boolean;
}

/** Cuts a text into pieces of whole records: one ends with a line up to which the quotes are even. */
function* piecesOf(text: string): Generator<Piece> {
  let piece: Piece = { starts: [], lines: [], quoted: false };
  let [open, begin] = [false, 0];
  for (const { start, line } of linesOf(text)) {
    if (!open && isBlank(line)) continue;
    if (!open) piece.starts.push(start);
    piece.lines.push(line);
    if (line.includes('"')) {
      piece.quoted = true;
      if (line.split('"').length % 2 === 0) open = !open;
    }
    if (open || start - begin < PIECE) continue;
    yield piece;
    piece = { starts: [], lines: [], quoted: false };
    begin = start;
  }
  yield piece;
}

function recordsOf(
  { starts, lines, quoted }: Piece,
  delimiter: string,
  parse: ParseCsv | undefined,
): string[][] | Fault {
  if (!quoted || parse === undefined) return lines.map((line) => line.split(delimiter));
  try {
    const records = parse(lines.join('\n'), delimiter);
    return records.length === starts.length ? records : badQuotes(starts[0] ?? 0);
  } catch (error) {
    // How many records came before, as the library counts them.
    const { records = 0 } = error as { records?: number };
    return badQuotes(starts[records] ?? starts.at(-1) ?? 0);
  }
}

/** The library's own messages are not used: they quote what they met, which may be a secret. */
function badQuotes(start: number): Fault {
  const message = 'the double quotes of this record are not as CSV has them';
  return faultAt(start, message, 'Close every quoted value, and double the quotes inside it.', true);
}

/** Where the cell with a number stands in the record that starts at `start`. */
export function cellRange(text: string, start: number, index: number, delimiter: string): Range {
  let [from, cell, quoted] = [start, 0, false];
  for (let at = start; ; at++) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    if (character !== undefined && (quoted || (character !== delimiter && character !== '\n'))) continue;
    if (cell === index || character !== delimiter) return { start: from, end: at };
    [cell, from] = [cell + 1, at + 1];
  }
}
