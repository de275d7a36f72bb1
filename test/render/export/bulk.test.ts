import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELD_NAMES, FIELDS, type Settings } from '../../../src/model/field-table.ts';
import type { Value } from '../../../src/model/field-types.ts';
import type { Current, DesiredWebsite } from '../../../src/model/website.ts';
import { exportOf } from '../../../src/render/export/export.ts';
import { EXPORT_FORMATS } from '../../../src/render/export/formats.ts';
import { planFor, shown, wanted } from '../../support/plans.ts';
import { UNSAFE } from '../arbitrary.ts';
import { currentOf, websites } from './records.ts';

function textOf(format: keyof typeof EXPORT_FORMATS, current: Current): string {
  const { pieces, limits } = EXPORT_FORMATS[format];
  return [...pieces(exportOf(current, limits), { comments: [], service: {} })].join('');
}

/** RFC 4180, read the slow and plain way. */
function parseCsv(text: string): Record<string, string>[] {
  const rows = [...text.matchAll(/((?:"(?:[^"]|"")*"|[^",\n])*)([,\n])/g)].reduce<string[][]>(
    (lines, [, cell = '', end]) => {
      lines.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
      if (end === '\n') lines.push([]);
      return lines;
    },
    [[]],
  );
  const [names = [], ...lines] = rows.slice(0, -1);
  return lines.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
}

/** A cell as bulk files are read. */
function fromCell(name: string, cell: string): unknown {
  if (cell === '') return undefined;
  if (/^null$/i.test(cell)) return null;
  if (name === 'exclude_params' || name === 'exclude_ips') return cell.split(/[\s;]+/);
  return /^(?:true|false|\d+)$/.test(cell) ? JSON.parse(cell) : cell;
}

/** A record of a bulk file, checked as the loader checks it. */
function read({ domain, ...keys }: Record<string, unknown>): DesiredWebsite {
  const settings = FIELD_NAMES.flatMap((name): [string, Value][] => {
    const { kind, presenceKey, secret } = FIELDS[name];
    if (presenceKey !== undefined && keys[presenceKey] !== undefined)
      return [[name, keys[presenceKey] as Value]];
    if (keys[name] === undefined) return [];
    if (!secret) return [[name, kind.input.parse(keys[name])]];
    return [[name, { env: /^env:(\w+)$/.exec(String(keys[name]))?.[1] ?? '' }]];
  });
  return wanted(String(domain), Object.fromEntries(settings) as Settings);
}

const readers: Record<'csv' | 'json' | 'ndjson', (text: string) => Record<string, unknown>[]> = {
  csv: (text) =>
    parseCsv(text).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, fromCell(name, cell)])),
    ),
  json: (text) => JSON.parse(text),
  ndjson: (text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
};

describe.each(['csv', 'json', 'ndjson'] as const)('%s', (format) => {
  test('holds every listed record, with settings whose plan is empty', () => {
    fc.assert(
      fc.property(websites, (records) => {
        const current = currentOf(records);
        const text = textOf(format, current);
        const desired = readers[format](text).map(read);
        expect(desired.map(({ domain }) => domain)).toEqual(
          exportOf(current).websites.map(({ domain }) => domain),
        );
        expect(planFor({ desired: { websites: desired }, current }).changes).toEqual([]);
        if (format !== 'csv') expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
      }),
      { numRuns: 80 },
    );
  });
});

const RECORDS = [
  shown('shop.example', 2, {
    privacy: 2,
    email: false,
    exclude_params: ['a"b', '=1+1'],
    exclude_ips: [],
    favorited_at: '2026-01-31T09:00:00Z',
  }),
  shown('a.example', 1, { privacy: 7, exclude_params: ['two words'], favorited_at: true }),
  shown('b.example', 5, { exclude_params: ['c,d'] }),
  shown('c.example', 3, { exclude_params: ['NULL'] }),
  shown('d.example', 4, { exclude_params: ['\ud83d'] }),
];

test('csv, as it is written', () => {
  expect(textOf('csv', currentOf(RECORDS))).toBe(
    `domain,privacy,password,email,exclude_bots,exclude_params,exclude_ips,favorited_at,favorite
a.example,7,,,,,,,true
b.example,,,,,,,,
c.example,,,,,,,,
d.example,,,,,,,,
shop.example,password,env:PASSWORD_SHOP_EXAMPLE,false,,"a""b =1+1",,2026-01-31T09:00:00Z,
`,
  );
});

test('csv leaves out, and tells, what a cell cannot hold', () => {
  const { report } = exportOf(currentOf(RECORDS), EXPORT_FORMATS.csv.limits);
  expect(report.undeclared).toEqual([
    {
      domain: 'a.example',
      field: 'exclude_params',
      value: ['two words'],
      reason: 'has an item that a list in CSV cannot hold',
    },
    {
      domain: 'b.example',
      field: 'exclude_params',
      value: ['c,d'],
      reason: 'has an item that a list in CSV cannot hold',
    },
    {
      domain: 'c.example',
      field: 'exclude_params',
      value: ['NULL'],
      reason: 'is a text that clears a field in CSV',
    },
    {
      domain: 'd.example',
      field: 'exclude_params',
      value: ['\ud83d'],
      reason: 'has half a character, which UTF-8 cannot hold',
    },
  ]);
});

test('json and ndjson, as they are written', () => {
  const lines = [
    '{"domain":"a.example","privacy":7,"exclude_params":["two words"],"favorite":true}',
    '{"domain":"b.example","exclude_params":["c,d"]}',
    '{"domain":"c.example","exclude_params":["NULL"]}',
    '{"domain":"d.example","exclude_params":["\\ud83d"]}',
    '{"domain":"shop.example","privacy":"password","password":"env:PASSWORD_SHOP_EXAMPLE","email":false,"exclude_params":["a\\"b","=1+1"],"favorited_at":"2026-01-31T09:00:00Z"}',
  ];
  expect(textOf('ndjson', currentOf(RECORDS))).toBe(`${lines.join('\n')}\n`);
  expect(textOf('json', currentOf(RECORDS))).toBe(`[\n${lines.join(',\n')}\n]\n`);
  expect(textOf('json', currentOf([]))).toBe('[]\n');
  expect(textOf('ndjson', currentOf([]))).toBe('');
});
