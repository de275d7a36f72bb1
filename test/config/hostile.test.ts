// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax of references
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeSource } from '../../src/config/read/source.ts';
import { parseYaml } from '../../src/config/yaml/syntax.ts';
import type { Problem } from '../../src/model/errors.ts';
import { lines, load, problemsOf } from './support.ts';

const MEGABYTES = 3_000_000;
const OLDER = 'the file is not UTF-8 text: it may be in an older encoding, such as Windows-1252';

test.each([
  ['brackets', '['.repeat(MEGABYTES), '1:64'],
  ['braces', '{a: '.repeat(MEGABYTES / 4), '1:253'],
  ['hyphens', '- '.repeat(MEGABYTES / 2), '1:127'],
  ['question marks', '? '.repeat(MEGABYTES / 2), '1:127'],
  ['closed brackets', `a: ${'['.repeat(MEGABYTES / 2)}${']'.repeat(MEGABYTES / 2)}`, '1:66'],
  ['indentation', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''), '64:64'],
])('a file with deeply nested %s is reported as one problem', async (_, text, place) => {
  expect(lines(await problemsOf(text))).toEqual([`${place} this is nested too deep`]);
});

test('a forgotten colon is reported, not the nesting that it causes', async () => {
  const records = Array.from(
    { length: 100 },
    (_, index) => `  - domain: ${index}.example\n    email: true\n`,
  );
  expect(lines(await problemsOf(`version: 1\nwebsites\n${records.join('')}`))).toEqual([
    '2:1 this is not a key with a value',
  ]);
});

test('an alias that makes a file expand to over 10 million values is an error', async () => {
  const levels = [...'bcdefghi'].map((name, index) => {
    const below = `*${'abcdefgh'[index]}`;
    return `x-${name}: &${name} [${Array(10).fill(below).join(', ')}]\n`;
  });
  const problems = await problemsOf(
    `x-a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n${levels.join('')}websites: []\n`,
  );
  expect(lines(problems)).toEqual(['7:38 the aliases up to this one expand to more than 10 million values']);
});

test('one YAML anchor can be used by 10,000 records', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => `  - { <<: *base, domain: ${index}.example }\n`);
  const { desired } = await load(
    `x-base: &base { email: true, exclude_ips: [192.0.2.1, 192.0.2.2] }\nwebsites:\n${items.join('')}`,
  );
  expect(desired.websites).toHaveLength(10_000);
  expect(desired.websites.at(-1)?.settings).toEqual({
    email: true,
    exclude_ips: ['192.0.2.1', '192.0.2.2'],
  });
});

test.each([
  ['Latin-1 text', Buffer.from('websites:\n  - caf\xe9.example\n', 'latin1'), `2:8 ${OLDER}`],
  [
    'a NUL',
    Buffer.from('websites:\n  - a\0b\n'),
    '2:6 the file contains a NUL character: it may be UTF-16 without a byte order mark',
  ],
])('a file with %s is reported as one problem without an excerpt', async (_, bytes, told) => {
  const problems = await problemsOf({ 'websites.yaml': bytes });
  expect(lines(problems)).toEqual([told]);
  expect(problems[0]?.excerpt).toBeUndefined();
});

test('a file of 5 MB is read', async () => {
  const padding = `# ${'x'.repeat(98)}\n`.repeat(45_000);
  const domains = Array.from({ length: 20_000 }, (_, index) => `- shop${index}.example.com`);
  const { desired } = await load(`${padding}websites:\n${domains.join('\n')}\n`);
  expect(desired.websites).toHaveLength(20_000);
  expect(desired.websites.at(-1)?.source).toEqual({ file: 'websites.yaml', line: 65_001, column: 3 });
});

test.each([
  ['a value', 'a'],
  ['slashes', '//'],
  ['a colon after each word', 'a:'],
])('a line of 200 KB is read quickly: %s', async (_, piece) => {
  const long = piece.repeat(200_000 / piece.length);
  const files = {
    'websites.yaml': `? "${long}"\n: 1\nwebsites: ["${long}", { from: many.txt }]\n`,
    'many.txt': `${long}\n`,
  };
  expect(lines(await problemsOf(files))).not.toEqual([]);
  expect(lines(await problemsOf(`websites: {{ ${long}\n`))).not.toEqual([]);
});

test('a file over 16 MB is an error at its first line in an unusual form', async () => {
  const websites = 'websites:\n  - a.example\n';
  const large = `${websites}${'# '.padEnd(1000, 'x').concat('\n').repeat(16_100)}`;
  expect((await load(large)).desired.websites).toHaveLength(1);
  const problems = await problemsOf(`${large}x-secret: &anchor hunter2\n`);
  expect(lines(problems)).toEqual([expect.stringMatching(/^16103:1 .*16 MB/)]);
  const misspelled = await problemsOf(`${large}  - domain: b.example\n    emial: true\n`);
  expect(lines(misspelled)).toEqual([expect.stringMatching(/^16104:5 .*16 MB/)]);
  expect(problems[0]?.excerpt).toBeUndefined();
});

test('an error is reported for each of 130,000 duplicate keys', async () => {
  expect(await problemsOf(`{${'x-a,'.repeat(130_000)}}`)).toHaveLength(129_999);
});

test.each([
  ['on lines of its own', (items: string[]) => `\n${items.map((item) => `      - ${item}\n`).join('')}`],
  ['between brackets', (items: string[]) => ` [${items.join(', ')}]\n`],
])('a list of 10,000 invalid items has each item reported, %s', async (_, written) => {
  const items = Array.from({ length: 10_000 }, (_one, index) => `nope${index}`);
  const text = `websites:\n  - domain: a.example\n    exclude_ips:${written(items)}`;
  expect(await problemsOf(text)).toHaveLength(10_000);
});

test('a file with 500,000 syntax errors is read up to its first error', async () => {
  const bad = (count: number): string => `websites:\n${'  - @a\n'.repeat(count)}`;
  expect(lines(await problemsOf(bad(500_000)))).toEqual(lines(await problemsOf(bad(20))));
});

test('a value that continues after the first 64 KB of a file causes no error', async () => {
  // A merge key makes the fast reader give up.
  const plain = Array.from({ length: 3000 }, (_, index) => `  - a${1000 + index}.example\n`).join('');
  const open = '  - domain: b.example\n    <<: { email: true }\n    exclude_params: [a,\n';
  const comments = '      # it continues\n'.repeat(1000);
  const text = `websites:\n${plain}${open}${comments}      b]\n`;
  expect(text.indexOf(comments)).toBeLessThan(61_000);
  expect(text.length).toBeGreaterThan(66_000);
  expect(lines(await problemsOf(text))).toEqual([]);
});

const SECRET = 'hunter2';

function shown(problems: readonly Problem[]): string {
  return JSON.stringify(problems);
}

test.each([
  ['a literal', `password: ${SECRET}`],
  ['quoted', `"password": "${SECRET}"`],
  ['in a block', `password: |\n      ${SECRET}\n      ${SECRET}`],
  ['a folded text', `password: a\n      ${SECRET}`],
  ['a mistyped key', `pasword: ${SECRET}`],
  ['a key in capitals', `PASSWORD: ${SECRET}`],
  ['a key with letters swapped', `passowrd: ${SECRET}`],
  ['an unknown key', `passwd: ${SECRET}`],
  ['another unknown key', `token: ${SECRET}`],
  ['a short unknown key', `pass: ${SECRET}`],
  ['a shorter unknown key', `pw: ${SECRET}`],
  ['a short key of a file that cannot be read', `pw: ${SECRET}: [`],
  ['a list', `password: [${SECRET}]`],
  ['a list below', `password:\n      - ${SECRET}`],
  ['a map', `password: { ${SECRET}: 1 }`],
  ['a map below', `password:\n      ${SECRET}: 1`],
  ['another map below', `password:\n      ? ${SECRET}\n      : [`],
  ['a mistyped reference', `password: { envv: ${SECRET} }`],
  ['a reference with more in it', `password: { env: P, value: ${SECRET} }`],
  ['a reference that holds it', `password: { env: "${SECRET}!" }`],
  ['a reference that holds a list', `password: { env: [${SECRET}] }`],
  ['a text of another key', `exclude_bots: &it ${SECRET}\n    password: *it`],
  ['not closed', `password: "${SECRET}`],
  ['not closed, over lines', `password: "a\n      ${SECRET}\n      b`],
  ['not closed, over many lines', `password: "a\n${'      b\n'.repeat(60)}      ${SECRET}\\q`],
  ['a bad start', `password: @${SECRET}`],
  ['an escape', `password: "\\q${SECRET}"`],
  ['a tag', `password: !${SECRET}`],
  ['an alias', `password: *${SECRET}`],
  ['two anchors', `password: &a &${SECRET} b`],
  ['a colon in it', `password: a: ${SECRET}`],
  ['text behind it', `password: "a" ${SECRET}`],
  ['a tab', `password:\n\t${SECRET}`],
  ['a broken variable', `password: "\${${SECRET} "`],
  ['no colon', `password ${SECRET}`],
  ['no key', `: ${SECRET}`],
  ['another word', `passphrase: ${SECRET}`],
  ['a worse word', `passrd: ${SECRET}`],
  ['nested too deep', `password: ${'['.repeat(100)}${SECRET}`],
  ['a login in the domain', `domain: https://user:${SECRET}@a.example/`],
  ['a login that is no domain', `domain: "user:${SECRET}@a..example"`],
  ['a login with a slash in it', `domain: "https://user:a/${SECRET}@a.example"`],
  ['a login with a slash in it, without a scheme', `domain: "user:a/${SECRET}@a.example"`],
  ['a login with an @ in it', `domain: "user:a@${SECRET}@a..example"`],
  ['a login with much behind it', `domain: "user:${SECRET}@a..example/${'x'.repeat(1000)}"`],
])('an error about a record does not show its password: %s', async (_, entry) => {
  const beside = `websites:\n  - privacy: nobody\n    email: 5\n    ${entry}\n    exclude_bots: x\n`;
  const problems = await problemsOf(beside);
  expect(problems.length).toBeGreaterThan(0);
  expect(shown(problems)).not.toContain(SECRET);
});

test.each([
  ['in brackets', `websites:\n  - { domain: a b, password: ${SECRET}, email: x }\n`],
  ['next to another secret', `websites:\n  - { domain: a b, password: ${SECRET}, api_key: other }\n`],
  ['of an anchor', `x-it: &it ${SECRET}\nx-y: { a: 1 }\nwebsites: [{ domain: a b, password: *it }]\nx: 1\n`],
  ['without a space after its colon', `websites:\n  - { domain: a.example, password:${SECRET} }\n`],
  ['twice, without a space', `websites:\n  - { password:${SECRET}, password:${SECRET} }\n`],
  ['without a colon', `websites:\n  - { domain: a.example, password ${SECRET} }\n`],
  ['with another sign', `websites:\n  - { domain: a.example, pw=${SECRET} }\n`],
  ['with another sign, in quotes', `websites:\n  - { domain: a.example, "password=${SECRET}": 1 }\n`],
  ['of a target, without a space', `targets: { a: { api_key:${SECRET} } }\n`],
  ['of a second document', `websites: []\n--- { websites: [{ domain: a b, password: ${SECRET} }] }\n`],
  ['of a second document without a mark', `websites: []\n...\n{ defaults: { password: ${SECRET} } }\n`],
  ['in the service URL', `service:\n  base_url: https://user:${SECRET}@a.example\n`],
  ['after a slash in the service URL', `service:\n  base_url: https://user:a/${SECRET}@a.example\n`],
  ['in the query of the service URL', `service:\n  base_url: "https://a.example/?key=${SECRET}"\n`],
  ['in the query of a URL instead of a domain', `websites: [ "https://a.example/?key=${SECRET}" ]\n`],
  ['in the fragment of a URL instead of a domain', `websites: [ "https://a.example/#${SECRET}" ]\n`],
  ['in the query of an invalid domain', `websites:\n  - domain: https://a..example/?key=${SECRET}\n`],
  ['in the fragment of a target URL', `targets: { a: { base_url: https://a.example#${SECRET} } }\n`],
  [
    'in a merged map',
    `x-m: { password: ${SECRET}, nope: 1 }\nwebsites: [{ domain: a b, <<: { password: ${SECRET}, nope: 1 } }]\n`,
  ],
])('an error does not show a password %s', async (_, text) => {
  const problems = await problemsOf(text);
  expect(problems.length).toBeGreaterThan(0);
  expect(shown(problems)).not.toContain(SECRET);
});

const SOUND = `# A file with a bit of everything.
version: 1
service: { base_url: https://a.example, www: same }
defaults: &d
  privacy: 1
  exclude_ips: [192.0.2.1, "2001:db8::1"]
websites:
  - a.example
  - domain: b.example
    privacy: password
    password: ${SECRET}
  - { <<: *d, domain: c.example, favorited_at: 2026-01-31T09:00:00 }
`;

/** A valid file in which something was removed, doubled or inserted. */
const damaged = fc
  .array(
    fc.record({
      at: fc.nat(SOUND.length),
      cut: fc.nat(8),
      put: fc.oneof(
        fc.constantFrom(
          ...['\t', '\n', '"', "'", '[', ']', '{', '}', ': ', '- ', '&a ', '*a', '!t ', '#', '|', '? '],
          ...['<<: ', '${', '\u0000', '\r', '---\n', '%', '@', '\\'],
        ),
        fc.string({ maxLength: 4 }),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((edits) =>
    edits.reduce((text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut), SOUND),
  );

test('a damaged YAML file is read or has an error with a location', () => {
  fc.assert(
    fc.property(damaged, (text) => {
      const source = decodeSource('w.yaml', Buffer.from(text));
      const { document, problems } = 'text' in source ? parseYaml(source) : { problems: [source] };
      expect(document !== undefined || problems.length > 0).toBe(true);
      const count = text.split('\n').length;
      for (const { place } of problems) {
        expect(place?.line).toBeGreaterThan(0);
        expect(place?.line).toBeLessThanOrEqual(count);
        expect(place?.column).toBeGreaterThan(0);
      }
    }),
    { numRuns: 200 },
  );
});

test('an error about a damaged YAML file does not show its password', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async (text) => {
      fc.pre(/^ {4}password: hunter2$/m.test(text));
      expect(shown(await problemsOf(text))).not.toContain(SECRET);
    }),
    { numRuns: 100 },
  );
});
