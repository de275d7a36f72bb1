/** Lines of NDJSON that differ in their domain alone, as most do from one of few others: each kind is parsed once. */
import type { BulkRow, RowFault } from './rows.ts';

type ReadLine = (start: number, line: string) => BulkRow | RowFault;

/** What a line begins with whose domain comes first and is the same in JSON. */
const OPENING = /^\{"domain": ?"([\w.-]+)"/;

/** What may put another value first, or name the domain once more: numbers go before all keys, the last domain counts. */
const OTHER_FIRST = /"domain"|"\d+"|\\/;

/** So many kinds are remembered. */
const MOST_KINDS = 10_000;

/** Reads lines as `read` does. */
export function createLineReader(read: ReadLine): ReadLine {
  const kinds = new Map<string, BulkRow>();
  return (start, line) => {
    const [opening, domain] = OPENING.exec(line) ?? [];
    if (opening === undefined) return read(start, line);
    const rest = line.slice(opening.length);
    const known = kinds.get(rest);
    if (known !== undefined) return { start, keys: known.keys, cells: [domain, ...known.cells.slice(1)] };
    const row = read(start, line);
    if ('cells' in row && kinds.size < MOST_KINDS && !OTHER_FIRST.test(rest)) kinds.set(rest, row);
    return row;
  };
}
