import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ConfigPart, ParsedDocument, Path } from '../../../../src/config/read/source.ts';
import { createSource, problemAt } from '../../../../src/config/read/source.ts';
import { FILE_KEYS, RECORD_KEYS, SECRET_KEYS, SERVICE_KEYS } from '../../../../src/config/schema/keys.ts';
import { readRegular } from '../../../../src/config/yaml/fast/read.ts';
import { parseYaml } from '../../../../src/config/yaml/syntax.ts';
import type { Problem } from '../../../../src/model/errors.ts';

/** Returns true if the fast reader accepts the text. Then both readers must give the same. */
function agree(text: string): boolean {
  const source = createSource('websites.yaml', text);
  const regular = readRegular(source);
  if (typeof regular === 'number') return false;
  const { document, problems } = parseYaml(source);
  expect(problems).toEqual([]);
  expect(regular.value).toStrictEqual(document?.value);
  // In one comparison, because thousands of them would take most of the time.
  const places = pathsOf(regular.value).map((path) => ({ path, starts: regular.itemStarts?.(path) }));
  const read = places.map(({ path, starts }) => ({ path, told: toldOf(regular, path), starts }));
  const wanted = places.map(({ path, starts }) => ({
    path,
    told: document && toldOf(document, path),
    starts: starts?.map((_, index) => document?.locate([...path, index]).start),
  }));
  expect(read).toEqual(wanted);
  return true;
}

/** Problems that show the locations of a value and its key. */
function toldOf(document: ParsedDocument, path: Path): Problem[] {
  return (['value', 'key'] as const).map((part) => tellAt(document, path, part));
}

/** A problem that shows a place: line, column, and the excerpt with its underlined and hidden parts. */
function tellAt({ source, locate, hidden }: ParsedDocument, path: Path, part: ConfigPart): Problem {
  return problemAt(source, locate(path, part), { message: 'this' }, hidden);
}

/** The path to every value, and paths that do not exist. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  const below =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) =>
          pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : [];
  return [path, ...below, [...path, 'nowhere'], [...path, 7, 'email']];
}

const PLAIN = [
  ...['shop.example.com', 'http://127.0.0.1:8080/x', '2001:db8::1', '192.0.2.0/24', 'bücher.example'],
  ...['2026-01-31T09:00:00Z', 'utm_source', 'true', 'false', 'null', '0', '1', '12', '1.2.3'],
];
const QUOTED = ['"*.example.com"', "'*'", '""', "''", '"a: b # c"', "'{ x }'", '"ü"'];
/** Texts that have another meaning, or none, as a value. */
const TRICKY = [
  ...['', '~', 'Null', 'True', 'FALSE', '1.5', '1.', '.5', '-1', '+1', '0x10', '0o17', '017', '1e5', '.inf'],
  ...['a b', 'a#b', 'a #b', 'a:', 'a: b', ':a', '-', '- a', '-a', '?', '? a', '...', '---', '<<', '='],
  ...['@a', '`a`', '%a', '&a b', '*a', '!t a', '|', '>-', 'user:pass@host', '"a@b"', '"a\\tb"', "'it''s'"],
  ...['"', "'", '"a" b', '[', ']', '{', '}', '[a', '[a]b', '[a,]', '[,]', '[a b]', '[[a], {b: c}]', '{a}'],
  ...['{ env: A, env: B }', '{ a: b }', '{env: A}', '{ env:A }', '{ env: {file: x} }', '{ "env": A }', ','],
  ...['a\tb', '\ta', '\u00a0', '\u2028', '\ufeff', '\u{1f600}', '__proto__', '9007199254740993', '1_000'],
];
const KEYS = [...Object.keys(RECORD_KEYS), 'env', 'file'].filter((key) => !isSecret(key));
const TOP_KEYS = [...Object.keys(FILE_KEYS), ...Object.keys(SERVICE_KEYS)];

function isSecret(key: string): boolean {
  return SECRET_KEYS.includes(key);
}

/** The number of nearly regular files that are read both ways. */
const RUNS = Number(process.env.FC_RUNS ?? 300);

const spaces = fc.constantFrom('', ' ', '  ');
const comment = fc.constantFrom('', '', '', ' # why', '  #', ' ');
const reference = fc.constantFrom('{ env: SITE_PASSWORD }', '{file: ./secret}', '{}');

const flowOf = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(fc.array(item, { maxLength: 3 }), spaces)
      .map(([items, gap]) => `[${gap}${items.join(`${gap}, `)}${gap}]`),
    fc
      .tuple(
        fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 3 }),
        fc.array(item, { minLength: 3, maxLength: 3 }),
      )
      .map(([keys, items]) => `{ ${keys.map((key, index) => `${key}: ${items[index]}`).join(', ')} }`),
  );

/** Lines that may be between others. */
const between = fc.constantFrom<string[]>(
  ...[[], [], [], [''], ['   '], ['# all of it'], ['      # far', ''], [' #']],
);

interface Shape {
  readonly scalar: fc.Arbitrary<string>;
  readonly keys: readonly string[];
}

/** The lines of a map with keys indented by `indent` columns. */
function mapLines(
  shape: Shape,
  indent: number,
  keys: readonly string[],
  depth: number,
): fc.Arbitrary<string[]> {
  const entry = (key: string): fc.Arbitrary<string[]> => {
    const head = `${' '.repeat(indent)}${key}:`;
    const inline = isSecret(key) ? reference : fc.oneof(shape.scalar, flowOf(shape.scalar));
    const line = fc
      .tuple(spaces, inline, comment, between)
      .map(([gap, value, end, more]) => [`${head} ${gap}${value}${end}`, ...more]);
    if (depth === 0 || isSecret(key)) return line;
    const below = fc
      .tuple(
        comment,
        between,
        fc.oneof(listLines(shape, indent, depth - 1), innerMap(shape, indent, depth - 1)),
      )
      .map(([end, more, lines]) => [`${head}${end}`, ...more, ...lines]);
    return fc.oneof({ weight: 3, arbitrary: line }, { weight: 2, arbitrary: below });
  };
  return fc
    .uniqueArray(fc.constantFrom(...keys), { minLength: 1, maxLength: 4 })
    .chain((chosen) => fc.tuple(...chosen.map(entry)))
    .map((blocks) => blocks.flat());
}

function innerMap(shape: Shape, indent: number, depth: number): fc.Arbitrary<string[]> {
  return fc.constantFrom(1, 2, 4).chain((more) => mapLines(shape, indent + more, shape.keys, depth));
}

function listLines(shape: Shape, indent: number, depth: number): fc.Arbitrary<string[]> {
  return fc.tuple(fc.constantFrom(0, 2, 3), fc.constantFrom(1, 3)).chain(([more, gap]) => {
    const dash = `${' '.repeat(indent + more)}-${' '.repeat(gap)}`;
    const text = fc
      .tuple(fc.oneof(shape.scalar, flowOf(shape.scalar)), comment, between)
      .map(([value, end, lines]) => [`${dash}${value}${end}`, ...lines]);
    const record = mapLines(shape, dash.length, shape.keys, depth).map(([first = '', ...rest]) => [
      `${dash}${first.trimStart()}`,
      ...rest,
    ]);
    // Repeats items, as similar records do.
    return fc
      .tuple(
        fc.array(fc.oneof(text, record), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
      )
      .map(([items, order]) => order.flatMap((nth) => items[nth % items.length] ?? []));
  });
}

const file = (scalars: readonly string[]): fc.Arbitrary<string> => {
  const shape = { scalar: fc.constantFrom(...scalars), keys: [...KEYS, ...SECRET_KEYS] };
  const start = fc.constantFrom<string[]>([], ['# head', ''], ['---'], ['', '---  # one', '']);
  return fc
    .tuple(start, mapLines(shape, 0, TOP_KEYS, 2), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([head, lines, end, ended]) => [...head, ...lines].join(end) + (ended ? end : ''));
};

const regular = file([...PLAIN, ...QUOTED]);
const nearlyRegular = fc
  .tuple(regular, fc.constantFrom(...PLAIN, ...QUOTED, 'SITE_PASSWORD'), fc.constantFrom(...TRICKY))
  .map(([text, value, tricky]) => text.replace(value, () => tricky));

const mutation = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  fc.oneof(
    fc
      .constantFrom(...'\n\r\t :#-[]{},&*!|>\'"%@`?~.\\_$\u00e9\u2028\ufeffaA10')
      .map((sign) => [0, sign] as const),
    fc.constantFrom(...'\n :a').map((sign) => [1, sign] as const),
    fc.constantFrom('', '\n', '\n\n', '\n  ', '\n- ', ': ', ' #', '  ').map((text) => [3, text] as const),
    fc.integer({ min: 1, max: 12 }).map((count) => [count, ''] as const),
  ),
);

function mutate(text: string, changes: readonly (readonly [number, readonly [number, string]])[]): string {
  return changes.reduce((before, [where, [count, put]]) => {
    const at = Math.floor(where * before.length);
    return before.slice(0, at) + put + before.slice(at + count);
  }, text);
}

test('the fast YAML reader gives the same values and locations as the full parser', () => {
  fc.assert(
    fc.property(regular, (text) => {
      expect(agree(text)).toBe(true);
    }),
  );
});

test('the fast YAML reader never gives a different value than the full parser', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(regular, nearlyRegular), fc.array(mutation, { maxLength: 2 }), (text, changes) => {
      if (agree(mutate(text, changes))) accepted += 1;
    }),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(RUNS / 10);
});

test.for(['correct-horse', 'pass word', '12', '""'])(
  'the fast YAML reader does not accept the password %s instead of a variable name',
  (password) => {
    const record = `websites:\n  - domain: a.example\n    password: { env: ${password} }\n`;
    expect(readRegular(createSource('websites.yaml', record))).toBeTypeOf('number');
  },
);

/** Records that are the same, or look the same, below the first line. */
const ALIKE: readonly string[] = [
  '- domain: a.example\n    email: true\n    privacy: public\n',
  '- domain: b.example\n    email: true\n    privacy: public\n',
  '- domain: b.example\n    email: true # why\n    privacy: public\n\n  # between\n',
  '- email: true\n    domain: c.example\n',
  '- privacy: public\n    domain: c.example\n',
  '- domain: d.example\n    domain: c.example\n',
  '-   domain: e.example\n      exclude_ips:\n      - 192.0.2.1\n',
  '- domain: e.example\n    exclude_ips:\n      - 192.0.2.1\n',
  '- domain: f.example\n    password:\n      env: A\n',
  '-   domain: f.example\n      password:\n      env: A\n',
  '- g.example\n',
  '- domain: h.example\n',
];

test('the fast YAML reader and the full parser agree on records that resemble each other', () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...ALIKE), { minLength: 2, maxLength: 8 }),
      fc.constantFrom('', 'prune: true\n', '  # the end', '    email: false\n'),
      (records, end) => {
        const text = `websites:\n${records.map((record) => `  ${record}`).join('')}${end}`;
        if (agree(text)) accepted += 1;
      },
    ),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(RUNS / 20);
});
