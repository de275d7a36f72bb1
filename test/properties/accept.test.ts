import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { updateFile, type WhyWrong } from '../../src/config/edit/accept.ts';
import { acceptable, firstOther } from '../../src/config/edit/drift.ts';
import { type Config, loadConfig } from '../../src/config/load.ts';
import type { Settings } from '../../src/model/field-table.ts';
import { WRITING } from '../../src/report/export/yaml.ts';
import { noStdin } from '../config/support.ts';
import { testFolder } from '../support/cli.ts';
import { NO_FLAGS, NO_RECORDS, shown } from '../support/plans.ts';

const bool = fc.boolean();
const params = fc.uniqueArray(
  fc.constantFrom('a', 'b', 'utm_source', 'x y', `$\{HOME}`, '#h', '"q"', 'null'),
  {
    maxLength: 4,
  },
);
const ips = fc.uniqueArray(fc.constantFrom('192.0.2.1', '192.0.2.0/24', '2001:db8::1'), { maxLength: 3 });

const current: fc.Arbitrary<Settings> = fc.record({
  privacy: fc.constantFrom(0, 1, 7),
  email: bool,
  exclude_bots: bool,
  exclude_params: params,
  exclude_ips: ips,
  favorited_at: fc.constantFrom(null, '2026-01-31T09:00:00Z', '2025-01-31T09:00:00Z'),
});

/** YAML as people write it. */
const VALUES = {
  privacy: fc.constantFrom('private', '"public"', "'private'", '1', '*privacy'),
  email: fc.constantFrom('true', 'false', '*email'),
  exclude_bots: fc.constantFrom('true', '0'),
  exclude_params: fc.constantFrom('[]', '[a]', '[ "a",b ]', '["x y"] ', 'null', '', '*params'),
  exclude_ips: fc.constantFrom('[192.0.2.1]', '[192.0.2.1, "2001:db8::1"]', '*ips'),
  favorite: fc.constantFrom('true', 'false'),
} as const;

const values = fc.record(VALUES, { requiredKeys: [] });
const lists = fc.constantFrom(
  [],
  ['exclude_params:', '  - a # keep', '', '  # between', "  - 'b'"],
  ['exclude_params:', '- utm_source', '-   b'],
  ['exclude_params: [', '    a,', '    "x y", b', '  ]'],
  ['exclude_params: [ a,', '    b', '  ]'],
);

/** A YAML record in block or flow style. */
const record = fc
  .tuple(
    values,
    lists,
    bool,
    bool,
    fc.constantFrom('plain', 'block', 'flow', 'merge'),
    fc.constantFrom('', ' # c'),
  )
  .map(([own, list, isFirst, isQuoted, style, comment]) => (domain: string): string[] => {
    const name = isQuoted ? `"${domain}"` : domain;
    const entries = Object.entries(own).filter(([key]) => list.length === 0 || key !== 'exclude_params');
    if (style === 'plain') return [`${name}${comment}`];
    if (style === 'flow') {
      const filled = entries.map(([key, text]) => `${key}: ${text === '' ? 'null' : text}`);
      return [`{ ${[`domain: ${name}`, ...filled].join(', ')} }${comment}`];
    }
    const lines = entries.map(([key, text]) => `${key}: ${text}${comment}`);
    const merged = style === 'merge' ? ['<<: *base'] : [];
    return [
      `domain: ${name}${comment}`,
      ...(isFirst ? [...merged, ...lines, ...list] : [...list, ...lines, ...merged]),
    ];
  });

const cell = fc.record(
  {
    privacy: fc.constantFrom('private', '"public"', '', ' 1 '),
    exclude_params: fc.constantFrom('a b', '"a;b"', 'null', ''),
    favorited_at: fc.constantFrom('', '2026-01-31T09:00:00'),
    email: fc.constantFrom('TRUE', ''),
    exclude_bots: fc.constantFrom('yes', ''),
    exclude_ips: fc.constantFrom('', '192.0.2.1'),
  },
  { noNullPrototype: true },
);

const ndjson = fc.constantFrom(
  (domain: string) => `"${domain}"`,
  (domain: string) => `{"domain":"${domain}","email":true}`,
  (domain: string) => `{ "email": 1, "domain": "${domain}", "Exclude Params": ["a"], "favorite": true }`,
);

const HEAD = [
  '# Top',
  'x-values: [ &privacy private, &email true, &params [a, b], &ips [192.0.2.1] ]',
  'x-base: &base { email: true, exclude_params: [b], favorite: false }',
  'defaults: { privacy: private, exclude_bots: true }',
  'websites:',
];

const files = fc
  .record({
    own: fc.array(record, { minLength: 1, maxLength: 4 }),
    grouped: fc.array(record, { maxLength: 2 }),
    cells: fc.array(fc.tuple(cell, bool), { maxLength: 3 }),
    lines: fc.array(ndjson, { maxLength: 3 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    ends: bool,
    mark: bool,
  })
  .map(({ own, grouped, cells, lines, lineEnd, ends, mark }) => {
    const item = (lines: readonly string[], indent: string): string[] =>
      lines.map((line, index) => (line === '' ? '' : `${indent}${index === 0 ? '- ' : '  '}${line}`));
    const named = (letter: string, index: number): string => `${letter}${index}.example`;
    // Each record and each group ends in a comment of its own.
    const records = own.map((make, index) => [...item(make(named('a', index)), '  '), `  # after ${index}`]);
    const group = [
      '  - group: g',
      '    defaults: { exclude_params: [a], exclude_bots: false }',
      `    websites:${grouped.length === 0 ? ' []' : ''}`,
      ...grouped.flatMap((make, index) => item(make(named('g', index)), '      ')),
    ];
    const yaml = [
      ...HEAD,
      ...records.flat(),
      ...group,
      '  - from: list.csv',
      '  - from: list.ndjson',
      'prune: false',
    ];
    const columns = ['domain', ...Object.keys(cells[0]?.[0] ?? { email: '' })];
    const rows = cells.map(([row, isShort], index) => {
      const texts = [named('c', index), ...Object.values(row)];
      return (isShort ? texts.slice(0, 2) : texts).join(',');
    });
    const text = (all: readonly string[]): string =>
      (mark ? '\ufeff' : '') + all.join(lineEnd) + (ends ? lineEnd : '');
    return {
      'websites.yaml': text(yaml),
      'list.csv': text([columns.join(','), ...rows]),
      'list.ndjson': text(lines.map((make, index) => make(named('n', index)))),
    };
  });

test('export --update changes only values in the files, and then no updated record differs', async () => {
  const folder = await testFolder({ 'websites.yaml': '', 'list.csv': '', 'list.ndjson': '' });
  const load = (contents: ReadonlyMap<string, Uint8Array>): Promise<Config> =>
    loadConfig({
      patterns: ['websites.yaml'],
      cwd: folder,
      env: {},
      stdin: noStdin,
      explains: true,
      contents,
    });
  const property = fc.asyncProperty(files, fc.array(current, { minLength: 5 }), async (written, shows) => {
    const bytes = Object.entries(written).map(
      ([name, text]) => [join(folder, name), Buffer.from(text)] as const,
    );
    for (const [path, text] of bytes) await writeFile(path, text);
    const config = await load(new Map());
    const service = {
      ...NO_RECORDS,
      websites: config.desired.websites.map(({ domain }, index) =>
        shown(domain, index + 1, shows[index % shows.length]),
      ),
    };
    const drift = acceptable(config.desired, service, NO_FLAGS);
    const originOf = (index: number) => config.origin?.(index) as never;
    const yaml = join(folder, 'websites.yaml');
    const whyWrong: WhyWrong = async (text, accepted) =>
      firstOther(config.desired, (await load(new Map([[yaml, Buffer.from(text)]]))).desired, accepted);
    const { after, refused } = await updateFile(drift, originOf, yaml, WRITING, whyWrong);
    for (const { reason } of refused) expect(reason).toMatch(/list\.(?:csv|ndjson)/);
    if (after === undefined) return;
    const differing = new Set(drift.map(({ desired }) => desired.domain));
    const before = written['websites.yaml'].replace('\ufeff', '');
    const [from, to] = [before.split('\n'), after.split('\n')];
    expect(linesKept(from, differing)).toEqual(linesKept(to, differing));
    const crlf = before.includes('\r\n');
    expect(/[^\r]\n/.test(after)).toBe(!crlf && after.includes('\n'));
  });
  await fc.assert(property, { numRuns: 40 });
});

/** Lines that belong to no differing record, and all comments except those of list items. */
function linesKept(lines: readonly string[], differing: ReadonlySet<string>): string[] {
  let isOurs = true;
  return lines.flatMap((line) => {
    const domain = /\b[agcn]\d\.example\b/.exec(line)?.[0];
    if (domain !== undefined) isOurs = !differing.has(domain);
    else if (/^\s*# after|^\s*- (?:group|from)/.test(line)) isOurs = true;
    if (isOurs) return [line.trimEnd()];
    return / # c\b/.test(line) && domain !== undefined ? ['# c'] : [];
  });
}
