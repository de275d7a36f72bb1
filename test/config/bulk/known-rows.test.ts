import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BulkFormat, openBulk } from '../../../src/config/bulk/bulk.ts';
import { createRowReader } from '../../../src/config/bulk/row-reader.ts';
import { inheritedOf } from '../../../src/config/read/records.ts';
import { createSource, type Scope } from '../../../src/config/read/source.ts';

/** The records, faults and problems of a list. */
function read(format: BulkFormat, ...lines: readonly string[]): string[] {
  const { document, rows } = openBulk(createSource('list', lines.join('\n')), format, new Map());
  const secrets = { sources: {}, book: { literals: new Map(), places: new Map() } };
  const scope = { file: { absolute: '/list' }, document, secrets, problems: [] } as unknown as Scope;
  const { readRow, readKnown } = createRowReader(scope, inheritedOf({}), new Map());
  const found: unknown[] = [];
  for (const row of rows((one) => readKnown(one) !== undefined && found.push(readKnown(one)) > 0)) {
    found.push('fault' in row ? row.fault : readRow(row));
  }
  return [...found, ...scope.problems].map((one) => JSON.stringify(one)).sort();
}

const joined = (...parts: string[][]) =>
  fc.tuple(...parts.map((texts) => fc.constantFrom(...texts))).map((texts) => texts.join(''));
const domains = ['a.com', 'b.com', 'B_1.com', '', 'a\\u002ecom', 'ü.com', '7', 'a.com\\"', ' a.com'];
const json = joined(
  ['{"domain":"', '{"domain": "', '{ "domain":"', '{"Domain":"', '{"1":"', '"', '["'],
  domains,
  [
    '"}',
    '"',
    '',
    '","email":true}',
    '", "email": true}',
    '","exclude_params":["a"]}',
    '","domain":"a.com"}',
  ].concat([
    '","\\u0064omain":"a.com"}',
    '","1":"a.com"}',
    '","__proto__":1}',
    '","email":tru}',
    '","site":"a.com"}',
  ]),
);
const cells = [
  '',
  ',1',
  ',1,',
  ',junk,a b',
  ',"1",x',
  ',,1,',
  ',1,"a",',
  ' ,1',
  '\u00a0,1',
  ',b.com,',
  ',a.com,x',
];

test.each<[BulkFormat, string, fc.Arbitrary<string>]>([
  ['ndjson', '', json],
  ['csv', 'domain,email,exclude_params', joined(domains, cells)],
  ['csv', 'email,domain,exclude_params', joined(domains, cells)],
  ['text', '', joined(domains, ['', ' # x', ' '])],
])('a line of %s below %j is read the same after any other line', (format, header, line) => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const alone = lines.flatMap((one, at) => read(format, header, ...Array(at).fill(''), one));
      expect(read(format, header, ...lines)).toEqual(alone.sort());
    }),
  );
});
