import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { findInsertion, insertInto } from '../../src/config/edit/insertion.ts';
import { createSource } from '../../src/config/read/source.ts';
import { WebsitesError } from '../../src/model/errors.ts';

async function inserted(text: string): Promise<string> {
  const insertion = await findInsertion(createSource('websites.yaml', text));
  const second =
    insertion.style === 'block' ? 'domain: y.example\nemail: true' : '{ domain: y.example, email: true }';
  return [...insertInto(insertion, ['x.example', second])].join('');
}

const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');
const NEW = ['- x.example', '- domain: y.example', '  email: true'];
const indented = (indent: number): string[] => NEW.map((line) => ' '.repeat(indent) + line);

test.each<[before: string[], after: string[]]>([
  [['websites:', '  - a.example'], []],
  [
    ['# top', 'websites:', '  - a.example # why', '  - b.example'],
    ['', 'prune: true'],
  ],
  [
    ['websites:', '  - a.example'],
    ['  # - b.example', '', '# end'],
  ],
  [
    ['websites:', '  - a.example'],
    ['', '', 'prune: true', '', ''],
  ],
  [['websites:', '  - domain: a.example', '    exclude_params:', '      - x # c'], []],
  [['websites:', '  - domain: a.example', '    exclude_ips: # none'], ['prune: true']],
  [['websites:', '  - domain: a.example', '    exclude_params: [', '      x', '    ]'], ['prune: true']],
  [['websites:', '  - "a.example"   # c'], ['prune: true']],
  [['websites:', '  - >-', '    a.example'], ['prune: true']],
  [['x-a: &a', '  domain: a.example', 'websites:', '  - *a'], ['prune: true']],
  [['x-a: &a { email: true }', 'websites:', '  - <<: *a', '    domain: a.example'], []],
  [['websites: &all', '  - a.example'], ['prune: true']],
  [['websites:', '  - from: a.csv'], ['prune: true']],
  [['%YAML 1.2', '---', 'websites:', '  - a.example'], ['...']],
  [
    ['websites:', '  - domain: a.example', '    email: true', '    # privacy: public', '      # later'],
    ['  # - b.example', '', '# about prune', 'prune: true'],
  ],
  [
    ['websites:', '  - a.example # ours,', '              # for now'],
    ['', '    # not ours', 'prune: true'],
  ],
  [
    ['websites:', '  - &a', '    domain: a.example', '    # privacy: public'],
    ['', '# about prune', 'prune: true'],
  ],
  [
    [
      'websites:',
      '  - domain: a.example',
      '    exclude_params:',
      '      - |',
      '        x',
      '',
      '        # y',
    ],
    ['# about prune', 'prune: true'],
  ],
  [
    ['websites:', '  - domain: a.example', '    exclude_params:', '      - |+', '        x', '', ''],
    ['# about prune', 'prune: true'],
  ],
])('new records are added to a file between the lines %j and %j', async (before, after) => {
  const [whole, added] = [lines(...before, ...after), lines(...before, ...indented(2), ...after)];
  expect(await inserted(whole)).toBe(added);
  expect(await inserted(whole.replaceAll('\n', '\r\n'))).toBe(added.replaceAll('\n', '\r\n'));
});

test('new records are written as maps if plain domains would break the file', async () => {
  // After a map and this comment, the parser would read the tab as indentation.
  const text = 'websites:\n  - a.example\n\n    # c\n';
  expect(await inserted(`${text}\t`)).toBe(`${text}${lines(...indented(2))}\t`);
});

test('new records have the indentation of the list', async () => {
  expect(await inserted('websites:\n- a.example\nprune: true\n')).toBe(
    lines('websites:', '- a.example', ...NEW, 'prune: true'),
  );
  expect(await inserted('websites:\n      - a.example\n')).toBe(
    lines('websites:', '      - a.example', ...indented(6)),
  );
});

test('new records have the line ends of the file', async () => {
  const text = lines('websites:', '  - a.example', '', 'prune: true').replaceAll('\n', '\r\n');
  expect(await inserted(text)).toBe(
    lines('websites:', '  - a.example', ...indented(2), '', 'prune: true').replaceAll('\n', '\r\n'),
  );
});

test('new records can be added to a file without a final line end', async () => {
  expect(await inserted('websites:\n  - a.example')).toBe(
    lines('websites:', '  - a.example', ...indented(2)),
  );
  expect(await inserted('websites:\n  - a.example # c')).toBe(
    lines('websites:', '  - a.example # c', ...indented(2)),
  );
});

test.each([
  ['websites: []\n', ['websites:']],
  ['websites: [] # none\nprune: true\n', ['websites: # none'], ['prune: true']],
  ['websites:\n', ['websites:']],
  ['websites:', ['websites:']],
  ['websites: # none\n  # - a.example\n', ['websites: # none'], ['  # - a.example']],
  ['websites: null\nprune: true\n', ['websites:'], ['prune: true']],
  ['websites: ~ # c\n', ['websites: # c']],
  ['version: 1\n', ['version: 1', '', 'websites:']],
  ['version: 1', ['version: 1', '', 'websites:']],
  ['version: 1\n# end\n', ['version: 1', '# end', '', 'websites:']],
])('new records are added to the file %j without records', async (text, before, after: string[] = []) => {
  expect(await inserted(text)).toBe(lines(...before, ...indented(2), ...after));
});

test('new records are added to an empty list in a file with indented keys', async () => {
  expect(await inserted('  version: 1\n  websites: []\n')).toBe(
    lines('  version: 1', '  websites:', ...indented(4)),
  );
});

test.each([
  [
    'websites: [a.example, b.example]\n',
    'websites: [x.example,\n    { domain: y.example, email: true },\n    a.example, b.example]\n',
  ],
  [
    'websites: [ # c\n  a.example, # d\n]\nprune: true\n',
    'websites: [x.example,\n    { domain: y.example, email: true },\n     # c\n  a.example, # d\n]\nprune: true\n',
  ],
  [
    'websites: [ # none\n  ]\n',
    'websites: [x.example,\n    { domain: y.example, email: true },\n     # none\n  ]\n',
  ],
  [
    '    prune: true\n    websites: [ ]\n',
    '    prune: true\n    websites: [x.example,\n      { domain: y.example, email: true } ]\n',
  ],
  [
    '{"version": 1, "websites": []}',
    '{"version": 1, "websites": [x.example,\n    { domain: y.example, email: true }]}',
  ],
])('new records are added at the start of a list in brackets: %j', async (text, expected) => {
  expect(await inserted(text)).toBe(expected);
});

test.each([
  'websites: { from: a.csv }\n',
  'x-all: &all [a.example]\nwebsites: *all\n',
  '{ version: 1 }\n',
  '{ websites: }\n',
  'version: 1\n...\n',
  '? websites\n:\n',
])('adding records to the file %j is an error', async (text) => {
  await expect(inserted(text)).rejects.toThrow(WebsitesError);
});

test('an error about adding records to a file does not show a password', async () => {
  const text = '{ defaults: { password: hunter2 }, websites: { from: a.txt } }\n';
  const error: unknown = await inserted(text).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ problems: [{ place: { line: 1, column: 36 } }] });
  expect(inspect(error, { depth: 5 })).not.toContain('hunter2');
});

test('adding records keeps every byte of the file and the meaning of its records', async () => {
  const record = fc.constantFrom(
    'a.example',
    '"b.example"',
    '{ domain: c.example, email: true }',
    'domain: d.example\nexclude_params:\n- x\n- y',
    'domain: e.example\nexclude_params: [x,\n y]',
    '>-\n  f.example',
    '|+\n  g.example\n',
    '&h h.example',
    '\n  domain: i.example\n  # inside\n  email:',
  );
  const comment = fc.constantFrom('', ' # comment', '   ');
  const between = fc.constantFrom('', '\n', '# own line\n', '  # own line\n', '\n\n  # two\n');
  const shape = fc.record({
    indent: fc.constantFrom(0, 2, 4),
    records: fc.array(fc.tuple(record, comment, between), { minLength: 1, maxLength: 4 }),
    before: fc.constantFrom('', 'version: 1\n', '# top\n\nprune: true\n'),
    after: fc.constantFrom('', 'ignore: []\n', '\n# end\n', 'protected:\n  - a.example\n', '...\n'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ indent, records, before, after, lineEnd }) => {
      const pad = ' '.repeat(indent);
      const items = records.map(([text, end, gap]) => {
        const whole = text.includes('\n') ? text : text + end;
        return `${pad}- ${whole.replaceAll('\n', `\n${pad}  `)}\n${gap}`;
      });
      const text = `${before}websites:\n${items.join('')}${after}`.replaceAll('\n', lineEnd);
      const result = await inserted(text);
      const [old, now] = [parse(text), parse(result)] as { websites: unknown[] }[];
      expect(now).toEqual({
        ...old,
        websites: [...(old?.websites ?? []), 'x.example', { domain: 'y.example', email: true }],
      });
      const added = NEW.map((line) => `${pad}${line}${lineEnd}`).join('');
      const at = result.indexOf(added);
      expect(result.slice(0, at) + result.slice(at + added.length)).toBe(text);
    }),
    { numRuns: 200 },
  );
});
