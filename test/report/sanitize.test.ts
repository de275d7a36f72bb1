import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leading, prose, safe, safeDomain, safeId, safeJson, shownLine } from '../../src/report/sanitize.ts';
import { hostileText, UNSAFE } from './arbitrary.ts';

it.each([
  ['nothing in plain text', 'utm_source', 'utm_source'],
  ['no letters of any script', 'bücher.例え', 'bücher.例え'],
  ['line ends and tabs', 'a\nb\r\nc\td', 'a\\nb\\r\\nc\\td'],
  ['an ANSI sequence', '\x1b[31mred\x1b[0m', '\\u001b[31mred\\u001b[0m'],
  ['a one-byte ANSI sequence', '\x9b31m', '\\u009b31m'],
  ['NUL, backspace, delete', '\0\b\x7f', '\\u0000\\u0008\\u007f'],
  ['right-to-left override and isolates', '\u202egpj.exe\u2069', '\\u202egpj.exe\\u2069'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  ['zero-width characters and soft hyphens', 'pay\u200bpal\u00ad\ufeff', 'pay\\u200bpal\\u00ad\\ufeff'],
  ['invisible letters', 'a\u3164b\u115f', 'a\\u3164b\\u115f'],
  ['tag characters beyond the basic plane', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
  ['unusual spaces', 'a\u00a0b\u2003c', 'a\\u00a0b\\u2003c'],
  ['half of a surrogate pair', 'a\ud83d', 'a\\ud83d'],
  ['commands of CI systems', 'a ##[error]b ##vso[c]', 'a #\\u0023[error]b #\\u0023vso[c]'],
  ['a command with a digit in its name', '##0[ ##a_1[', '#\\u00230[ #\\u0023a_1['],
  ['no other number signs', '## a #1 #[b]', '## a #1 #[b]'],
])('safe() escapes %s', (_, text, expected) => {
  expect(safe(text)).toBe(expected);
});

it('safe() cuts long text in the middle and counts the omitted characters', () => {
  expect(safe(`${'a'.repeat(50)}${'x'.repeat(30)}${'b'.repeat(50)}`, 100)).toBe(
    `${'a'.repeat(50)}… (30 more) …${'b'.repeat(50)}`,
  );
  expect(safe('a'.repeat(100), 100)).toBe('a'.repeat(100));
});

it('safe() cuts no character in half', () => {
  expect(safe(`a${'💩'.repeat(60)}b`, 100)).toBe(`a${'💩'.repeat(24)}… (22 more) …${'💩'.repeat(24)}b`);
});

it('safe() leaves no unsafe character in any text', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      for (const output of [safe(text), prose(text), safeDomain(text)]) expect(output).not.toMatch(UNSAFE);
    }),
  );
});

it('prose() joins lines and tabs into one line', () => {
  expect(prose('  two\n lines\tand a tab ')).toBe('two lines and a tab');
});

it('leading() and safeId() escape commands of a CI system', () => {
  expect(leading('sites/a.yaml:3')).toBe('sites/a.yaml:3');
  expect(leading('::error::a.yaml')).toBe('\\u003a:error::a.yaml');
  expect(leading('a ::error::b')).toBe('a ::error::b');
  expect(safeId('7')).toBe('#7');
  expect(safeId('#[error]a')).toBe('#\\u0023[error]a');
});

it.each([
  ['shop.example.com', 'shop.example.com'],
  ['*.example.com', '*.example.com'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['a.com, b.com', '"a.com, b.com"'],
  ['a.com  #7   websites.yaml:1', '"a.com  #7   websites.yaml:1"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\u202eb', '"a\\u202eb"'],
  ['', '""'],
])('safeDomain() shows %j as %s', (domain, expected) => {
  expect(safeDomain(domain)).toBe(expected);
});

it('safeDomain() shows the longest domain whole', () => {
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;
  expect(safeDomain(longest)).toBe(longest);
});

it('safeJson() parses to the same value and contains nothing unsafe', () => {
  fc.assert(
    fc.property(fc.dictionary(hostileText, hostileText), (value) => {
      const json = safeJson(JSON.stringify(value, null, 2));
      expect(json.replaceAll('\n', '')).not.toMatch(UNSAFE);
      expect(json).not.toContain('##[');
      expect(JSON.parse(json)).toEqual(value);
    }),
  );
});

it.each([
  ['nothing in plain data', 'a.example,public,\n', 'a.example,public,\n'],
  ['a command in a cell', 'a.example,##[error]x\n', 'a.example,#\\u0023[error]x\n'],
  ['a command at its beginning', '::error::x,public\n', '\\u003a:error::x,public\n'],
  ['a line break inside a cell', 'a,"x\n::error::y"\n', 'a,"x\\n::error::y"\n'],
  ['control characters and reversed text', 'a,\x9b31m\u202e\n', 'a,\\u009b31m\\u202e\n'],
])('shownLine() escapes %s', (_, line, shown) => {
  expect(shownLine(line)).toBe(shown);
});
