import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BulkFormat, formatOf, openBulk } from '../../../src/config/bulk/bulk.ts';
import { plainName, type Renames } from '../../../src/config/bulk/columns.ts';
import { createSource } from '../../../src/config/read/source.ts';
import { trimPlain } from '../../../src/util/look-alikes.ts';

interface Read {
  /** Each row as an object, or its fault, with the line of its first character. */
  readonly rows: readonly (readonly [line: number, what: unknown])[];
  readonly unknown: readonly string[];
}

async function read(text: string, format: BulkFormat, renames: Renames = new Map()): Promise<Read> {
  const bulk = await openBulk(createSource('list', text), format, renames);
  const { placeAt } = bulk.document.source;
  const rows = Array.from(bulk.rows(), (row) => {
    const what =
      'fault' in row
        ? `${row.fatal ? 'fatal: ' : ''}${row.fault.message}`
        : Object.fromEntries(row.shape.keys.map((key, index) => [key ?? '', row.cells[index]]));
    return [placeAt(row.start).line, what] as const;
  });
  return { rows, unknown: bulk.columns.unknown.map(({ name }) => name) };
}

const domains = async (text: string, format: BulkFormat, renames?: Renames): Promise<string[]> =>
  (await read(text, format, renames)).rows.map(
    ([line, what]) => `${line} ${typeof what === 'string' ? what : (what as { domain?: unknown }).domain}`,
  );

test.each([
  ['domains', undefined],
  ['.env', undefined],
  ['a/b.c/domains.TXT', 'text'],
  ['x.csv', 'csv'],
  ['x.CSV', 'csv'],
  ['x.tsv', 'tsv'],
  ['x.json', 'json'],
  ['x.ndjson', 'ndjson'],
  ['x.jsonl', 'ndjson'],
  ['x.yaml', undefined],
  ['x.xlsx', undefined],
])('the format of the file %s is %s', (path, format) => {
  expect(formatOf(path)).toBe(format);
});

test.each([
  ['a.example\nb.example\n', ['1 a.example', '2 b.example']],
  ['\r\n a.example \r\n\r\nb.example', ['2 a.example', '4 b.example']],
  ['# a comment\na.example # another\n#b.example\n\t#\nc.example/#d', ['2 a.example', '5 c.example/#d']],
  ['a.example\rb.example', ['1 a.example', '2 b.example']],
  ['a.example # one line,\u2028for all of it', ['1 a.example']],
  ['', []],
  ['\n\n', []],
])('a plain-text list of domains is read with line numbers: %j', async (text, expected) => {
  expect(await domains(text, 'text')).toEqual(expected);
});

test.each([
  ['a column named domain', 'csv', 'domain,email\na.example,1\n'],
  ['other columns first', 'csv', 'email,Domain\n1,a.example\n'],
  ['semicolons', 'csv', 'domain;email\na.example;1\n'],
  ['semicolons, and a comma in a name', 'csv', 'Place, street;domain;email\n;a.example;1\n'],
  ['semicolons, and a comma in quotes', 'csv', '"x, ""y"", z";domain;email\n;a.example;1\n'],
  ['commas, and a semicolon in a name', 'csv', 'email,Notes; more,domain\n1,,a.example\n'],
  ['tabs in a CSV', 'csv', 'domain\temail\na.example\t1\n'],
  ['tabs', 'tsv', 'domain\temail\na.example\t1\n'],
  ['quotes', 'csv', '"domain","email"\n"a.example","1"\n'],
  ['quotes and spaces', 'csv', ' domain , email\n "a.example" , "1" \n'],
  ['CRLF, and no end', 'csv', 'domain,email\r\na.example,1'],
  ['blank lines', 'csv', '\n  \ndomain,email\n\n,\na.example,1\n \n'],
  ['empty cells beyond the last column', 'csv', 'domain,email\na.example,1,,\n'],
  ['missing cells', 'csv', 'domain,email,privacy\na.example,1\n'],
  ['look-alikes around names', 'csv', '\ufeff\ufeffdomain\u00a0,“email”\na.example,1\n'],
] as const)('a table of domains is read with %s', async (_, format, text) => {
  const { rows } = await read(text, format);
  expect(rows.map(([, what]) => what)).toEqual([
    expect.objectContaining({ domain: 'a.example', email: '1' }),
  ]);
});

test.each(['Domain', 'URL', 'Site', 'Website', 'hostname', 'Site URL', 'HOST-NAME', 'domain name'])(
  'a table can name its domain column "%s"',
  async (name) => {
    const { rows } = await read(`nr,${name}\n1,a.example\n`, 'csv');
    expect(rows).toEqual([[2, { '': '1', domain: 'a.example' }]]);
  },
);

test('if several columns could hold the domains, the most likely one is used', async () => {
  expect(await read('url,domain\nhttps://x.example/y,a.example\n', 'csv')).toEqual({
    rows: [[2, { '': 'https://x.example/y', domain: 'a.example' }]],
    unknown: ['url'],
  });
});

test('--map renames columns of a table', async () => {
  const renames = new Map([
    [plainName('Our Sites'), 'domain'],
    [plainName('visible'), 'privacy'],
  ]);
  expect(await read('our-sites,domain,Visible\na.example,b.example,1\n', 'csv', renames)).toEqual({
    rows: [[2, { domain: 'a.example', '': 'b.example', privacy: '1' }]],
    unknown: ['domain'],
  });
});

test.each<[BulkFormat, string]>([
  ['csv', 'domain,exclude_ips\na.example,x y z\n'],
  ['json', '[{ "domain": "a.example", "exclude_ips": ["x", "y"] }]'],
])('the position of a cell in a %s list is computed once for several problems', async (format, text) => {
  const { document, rows } = await openBulk(createSource('list', text), format, new Map());
  const [row] = rows();
  const path = [row?.start ?? 0, 'exclude_ips'];
  expect(document.locate(path)).toBe(document.locate(path));
  expect(document.locate([path[0] ?? 0, 'domain'])).not.toEqual(document.locate(path));
});

test('lines of a CSV file with one column can end in delimiters', async () => {
  expect(await domains('domain;;\na.example;;\n', 'csv')).toEqual(['2 a.example']);
});

test('a CSV file with one column of domains needs no header line', async () => {
  expect(await domains('a.example\nb.example\n', 'csv')).toEqual(['1 a.example', '2 b.example']);
});

test('a CSV cell with line breaks is one value, and later line numbers are correct', async () => {
  const text = 'domain,note\n"a.example","one\n\ntwo, ""three"""\nb.example,\n';
  expect((await read(text, 'csv', new Map([['note', 'protect']]))).rows).toEqual([
    [2, { domain: 'a.example', protect: 'one\n\ntwo, "three"' }],
    [5, { domain: 'b.example', protect: '' }],
  ]);
});

test.each([
  ['', ['1 fatal: the file is empty: it has no header line']],
  ['name,email\na.example,1\n', ['1 fatal: the first line has no column of domains']],
  ['a.example,1\nb.example,1\n', ['1 fatal: the first line has no column of domains']],
  ['domain,Email,e-mail,email\n', ['1 fatal: two columns are named email']],
  ['domain,domain\na.example,b.example\n', ['1 fatal: two columns are named domain']],
  ['Domain,domain,URL\na.example,b.example,c.example\n', ['1 fatal: two columns are named domain']],
  ['url,URL\na.example,b.example\n', ['1 fatal: two columns are named domain']],
  [
    'domain,,privacy, \na.example,,1,\nb.example,junk,1\nc.example\nd.example,,1,junk\n',
    [
      '2 a.example',
      '3 a value is in a column without a name',
      '4 c.example',
      '5 a value is in a column without a name',
    ],
  ],
  [
    'domain,exclude_params\na.example,x,y\nb.example,x\n',
    ['2 a value is in a column without a name', '3 b.example'],
  ],
  [
    'domain\na.example\n"b.example\nc.example\n',
    ['2 a.example', '3 fatal: the double quote that opens this value is not closed'],
  ],
  [
    'domain,notes\na.example,12" screens\n"b.example",x "y" z\nc.example,"1"\n',
    ['2 a.example', '3 b.example', '4 c.example'],
  ],
  [
    '"domain","notes"\na.example,"a\nb" c\nb.example,"1"\n',
    ['3 fatal: text follows the double quote that closes a value'],
  ],
  ['"domain\na.example\n', ['1 fatal: the double quote that opens this value is not closed']],
  ['https://a.example/x,"b" c\nb.example\n', ['1 fatal: text follows the double quote that closes a value']],
])('a malformed CSV table is reported with line and reason: %j', async (text, expected) => {
  expect(await domains(text, 'csv')).toEqual(expected);
});

test('an error reports two columns of a table that --map renames to one key', async () => {
  const renames = new Map([
    [plainName('Our Sites'), 'domain'],
    [plainName('Theirs'), 'domain'],
  ]);
  expect(await domains('our sites,theirs\na.example,b.example\n', 'csv', renames)).toEqual([
    '1 fatal: two columns are named domain',
  ]);
});

test.each([
  ['[]', []],
  [' [ ] ', []],
  ['["a.example", "b.example"]', ['1 a.example', '1 b.example']],
  ['[\n"a.example",\n{"url": "b.example"}\n]\n', ['2 a.example', '3 b.example']],
  ['["a\\"]\\\\", "b"]', ['1 a"]\\', '1 b']],
  ['[{"domain": "a", "x": [1, {"y": "]}"}, []]}]', ['1 a']],
  [
    '[1, null, [], "a"]',
    [...times(3, '1 a record must be a domain, or an object with the key domain'), '1 a'],
  ],
  ['{"domain": "a"}', ['1 fatal: the file must be one list, or an object with one list of domains']],
  ['{"domains": ["a.example"], "ok": true', ['1 fatal: the file is not valid JSON']],
  ['\n{"a": {"domains": ["a.example", "b"]}, "errors": [], "n": ["x"]}\n', ['2 a.example', '2 b']],
  ['{"data": [{"x": [1], "domain": "a.example"}], "x": [{"y": 1}]}', ['1 a.example']],
  [
    '{"a": ["a.example"], "b": {"c": [{"domain": "b.example"}]}}',
    ['1 fatal: the file has 2 lists of domains: "a", "b.c"'],
  ],
  ['{"a": ["a.example"], "a": ["b.example"]}', ['1 fatal: the file has 2 lists of domains: "a", "a"']],
  ['', ['1 fatal: the file must be one list']],
  ['[, "a"]', ['1 fatal: this is not valid JSON']],
  ['[,]', ['1 fatal: this is not valid JSON']],
  ['["a",]', ['1 a', '1 fatal: this is not valid JSON']],
  ['[\n"a"\n"b"]', ['2 fatal: this is not valid JSON']],
  ['["a"', ['1 fatal: the list is broken here']],
  ['["a"] 5', ['1 a', '1 fatal: the list is broken here']],
  ['["a", {"b": "c]', ['1 a', '1 fatal: the list is broken here']],
  [
    '[{"Domain": "a", "domain": "b"}, {"domain": "c", "url": "d"}, {"domain": "e", "Email": 1, "email": 0}]',
    ['1 two columns are named domain', '1 c', '1 two columns are named email'],
  ],
  [
    '[{"domain": "a", "": ""}, {"domain": "b", "": null}, {"domain": "c", "": 1}]',
    ['1 a', '1 b', '1 a value is in a column without a name'],
  ],
  ['["a", {"b" 5}, "c"]', ['1 a', '1 fatal: this is not valid JSON']],
])('a JSON list gives domains, or errors with line and reason: %j', async (text, expected) => {
  expect(await domains(text, 'json')).toEqual(expected);
});

test.each([
  ['{"domain": "a", "email": true, "email": false}', 'two values are named email'],
  ['{"domain": "a", "domain": "b"}', 'two values are named domain'],
  ['{"domain":"a","em\\u0061il":true,"email":false}', 'two values are named email'],
  [
    ' {"exclude_ips": ["::1", "a\\":{"], "domain": "a", "exclude_ips" : {"x": 1} }',
    'two values are named exclude_ips',
  ],
  ['{"domain": "a", "exclude_ips": ["::1", "a\\":{"], "password": {"env": "P"}, "x": ":"}', 'a'],
  ['{"domain": "a", "password": {"env": "P", "env": "Q"}}', 'two values are named password.env'],
  ['{"password" : { "env" :"P","e\\u006ev": "P" } , "domain": "a"}', 'two values are named password.env'],
  ['{"domain": "a", "note": {"x": 1}, "x": 2}', 'a'],
])('a JSON record %j with a name at two places gives %j', async (json, what) => {
  const told = (line: number) => [`${line} ${what}`];
  expect(await domains(`[\n${json}\n]`, 'json')).toEqual(told(2));
  expect(await domains(`\n${json}\n`, 'ndjson')).toEqual(told(2));
});

test('the location of a domain in a one-line JSON list spans a small part of it', async () => {
  const text = JSON.stringify(Array.from({ length: 1000 }, (_, index) => `site-${index}.example`));
  const { document } = await openBulk(createSource('list', text), 'json', new Map());
  const { start, end } = document.locate([1]);
  expect([start, end < text.length / 10]).toEqual([1, true]);
});

test('a JSON list is read to the same elements as JSON.parse reads', async () => {
  const element = fc.oneof(fc.string(), fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()));
  const text = fc
    .tuple(fc.array(element), fc.constantFrom(undefined, 1, '\t'))
    .map(([list, indent]) => JSON.stringify(list, undefined, indent));
  await fc.assert(
    fc.asyncProperty(text, async (json) => {
      const bulk = await openBulk(createSource('list', json), 'json', new Map());
      const cells = Array.from(bulk.rows(), (row) => ('cells' in row ? row.cells : row.fault));
      const expected = (JSON.parse(json) as (string | object)[]).map((one) =>
        typeof one === 'string' ? [one] : Object.values(one),
      );
      expect(cells).toEqual(expected);
    }),
  );
});

test('an NDJSON file is read with one record per line, and an invalid line is reported', async () => {
  const text = '"a.example"\n\n{"domain": "b.example", "email": true, "owner": "x"}\r\n{"dom\n5\n';
  expect(await read(text, 'ndjson')).toEqual({
    rows: [
      [1, { domain: 'a.example' }],
      [3, { domain: 'b.example', email: true, '': 'x' }],
      [4, 'this is not valid JSON'],
      [5, 'a record must be a domain, or an object with the key domain'],
    ],
    unknown: ['owner'],
  });
});

function times(count: number, message: string): string[] {
  return Array.from({ length: count }, () => message);
}

const cell = fc.string({ unit: fc.constantFrom('a', 'b', ' ', ';', '#', '\\', "'", 'ü', '.') });
const line = fc.oneof(
  fc.array(cell, { minLength: 1, maxLength: 4 }).map((cells) => cells.join(',')),
  fc.constantFrom('', ' ', ',', ',,', '\r'),
);
const noQuotes = fc.array(line, { maxLength: 12 }).map((lines) => `domain,email,x\n${lines.join('\n')}`);

/** Reads a text with the CSV library and the same columns. */
const byLibrary = (text: string): string[][] =>
  parse(text.replace(/\r\n?/g, '\n'), { relax_column_count: true, trim: true, skip_empty_lines: true })
    .slice(1)
    .map((cells) => cells.map(trimPlain))
    .filter((cells) => cells.some((one) => one !== ''));

const cellsOf = async (text: string): Promise<unknown[]> => {
  const bulk = await openBulk(createSource('list', text), 'csv', new Map());
  return Array.from(bulk.rows(), (row) => ('cells' in row ? row.cells : row.fault.message));
};

test('a CSV table without quotes is read like the CSV library reads it', async () => {
  await fc.assert(
    fc.asyncProperty(noQuotes, async (text) => {
      const expected = byLibrary(text).map((cells) =>
        cells.slice(3).every((one) => one === '') ? cells : 'a value is in a column without a name',
      );
      expect(await cellsOf(text)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('values written to a CSV table are read back unchanged', async () => {
  const value = fc
    .string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é', '\u00a0'), maxLength: 6 })
    .map(trimPlain);
  const written = fc.tuple(value, fc.boolean()).map(([text, isQuoted]) => ({
    text,
    csv: isQuoted || /^"|[,\n]/.test(text) ? ` "${text.replaceAll('"', '""')}" ` : ` ${text} `,
  }));
  const rows = fc.array(fc.array(written, { minLength: 3, maxLength: 3 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(rows, async (cells) => {
      const text = `domain,email,x\n${cells.map((row) => row.map(({ csv }) => csv).join(',')).join('\n')}\n`;
      const expected = cells.map((row) => row.map((cell) => cell.text));
      expect(await cellsOf(text)).toEqual(expected.filter((row) => row.some((one) => one !== '')));
    }),
    { numRuns: 300 },
  );
});

test('a CSV table with some quoted lines is read like the CSV library reads it', async () => {
  const value = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é'), maxLength: 6 });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const row = fc.array(
    fc.oneof(
      value.map(quoted),
      value.map((text) => text.replace(/["\n,]/g, '')),
    ),
    { minLength: 1, maxLength: 3 },
  );
  const table = fc
    .array(row, { maxLength: 40 })
    .map((rows) => `domain,email,x\n${rows.map((cells) => cells.join(',')).join('\n')}`);
  await fc.assert(
    fc.asyncProperty(table, async (text) => {
      expect(await cellsOf(text)).toEqual(byLibrary(text));
    }),
    { numRuns: 300 },
  );
});
