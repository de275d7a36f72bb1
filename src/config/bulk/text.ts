/** Plain text: a domain a line; `#` at the start of a line or after white space begins a comment. */
import { trimPlain } from '../../util/look-alikes.ts';
import { isDomain } from './columns.ts';
import { type BulkRow, DOMAIN_ALONE, linesOf, type Reader } from './rows.ts';

/** `guesses`: the list is somebody else's, with several domains a line, and what people put around them. */
export function textReader(text: string, guesses: boolean): Reader {
  return {
    rows: () => textRows(text, guesses),
    locate: () => undefined,
  };
}

function* textRows(text: string, guesses: boolean): Generator<BulkRow> {
  for (const { start, line } of linesOf(text)) {
    const cell = trimPlain(line.includes('#') ? line.replace(/(?:^|\s)#.*$/s, '') : line);
    if (cell === '') continue;
    let at = start + line.indexOf(cell);
    for (const domain of guesses ? domainsIn(cell) : [cell]) {
      at = text.indexOf(domain, at);
      yield { start: at, keys: DOMAIN_ALONE, cells: [domain] };
    }
  }
}

/** A bullet, a number, or what stands before the domains in the configuration of nginx. */
const LEAD = /^(?:[-*+•·]|\d+[.)]|server_name)\s+/;
const QUOTES = /^["'`]+|["'`]+$/g;

/** The domains of a line, if it is nothing but such; otherwise the line, for what is wrong with it to be told. */
function domainsIn(cell: string): readonly string[] {
  if (isDomain(cell)) return [cell];
  const pieces = cell.replace(LEAD, '').split(/[\s,;]+/);
  const domains = pieces.map((piece) => piece.replace(QUOTES, '')).filter(Boolean);
  return domains.length > 0 && domains.every(isDomain) ? domains : [cell];
}
