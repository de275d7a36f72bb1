/** Plain text: a domain a line; `#` at the start of a line or after white space begins a comment. */
import { trimPlain } from '../../util/look-alikes.ts';
import { type BulkRow, DOMAIN_ALONE, linesOf, type Reader } from './rows.ts';

export function textReader(text: string): Reader {
  return {
    rows: () => textRows(text),
    locate: () => undefined,
  };
}

function* textRows(text: string): Generator<BulkRow> {
  for (const { start, line } of linesOf(text)) {
    const cell = trimPlain(line.includes('#') ? line.replace(/(?:^|\s)#.*$/s, '') : line);
    if (cell !== '') yield { start: start + line.indexOf(cell), keys: DOMAIN_ALONE, cells: [cell] };
  }
}
