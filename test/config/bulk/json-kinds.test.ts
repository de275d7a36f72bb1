import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openBulk } from '../../../src/config/bulk/bulk.ts';
import { createSource } from '../../../src/config/read/source.ts';

/** Reads the rows of a text that begins at `shift`. */
function rowsOf(text: string, shift = 0, renames = new Map<string, string>()) {
  const rows = [...openBulk(createSource('list', text), 'ndjson', renames).rows()];
  return rows.map((row) => ({ ...row, start: row.start + shift }));
}

/** Reads each line with a new reader, which has seen no other line. */
function rowsAlone(lines: readonly string[], renames: Map<string, string>) {
  let shift = 0;
  return lines.flatMap((line) => {
    const rows = rowsOf(line, shift, renames);
    shift += line.length + 1;
    return rows;
  });
}

const opening = fc.constantFrom('{"domain":', '{"domain": ', '{ "domain":', '{"Domain":', '{"1":', '', '[');
const domain = fc.constantFrom(
  ...['"a.com"', '"b.com"', '"B_1.com"', '""', '"a\\u002ecom"', '"ü.com"', '7', '"a.com'],
);
const rest = fc.constantFrom(
  ...['}', ',"email":true}', ', "email": true}', ',"exclude_params":["a","b"]}', ',"site":"a.com"}', '', ']'],
  ...[',"domain":"a.com"}', ',"\\u0064omain":"a.com"}', ',"1":"a.com"}', ',"__proto__":1}', ',"email":tru}'],
  ',"exclude_params":[["a"]]}',
);
const line = fc.tuple(opening, domain, rest).map((parts) => parts.join(''));

test('a line of NDJSON is read the same after any other line', () => {
  const renames = fc.constantFrom<[string, string][]>([], [['1', 'domain']], [['site', 'domain']]);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), renames, (lines, names) => {
      expect(rowsOf(lines.join('\n'), 0, new Map(names))).toEqual(rowsAlone(lines, new Map(names)));
    }),
    { numRuns: 200 },
  );
});
