import fc from 'fast-check';
import { expect, test } from 'vitest';
import { domainKey, matcher, normaliseDomain, whyNoPattern } from '../../src/model/domain.ts';
import { firstInvisible, firstOfNoName, trimPlain } from '../../src/util/look-alikes.ts';

test.each([
  ['“example.com”', '“ (U+201C) at position 1'],
  ["'example.com’", '’ (U+2019) at position 13'],
  ['«example.com»', '« (U+00AB) at position 1'],
  ['shop–one.example', '– (U+2013) at position 5'],
  ['shop—one.example', '— (U+2014) at position 5'],
  ['shop\u2011one.example', '\u2011 (U+2011) at position 5'],
  ['shop−one.example', '− (U+2212) at position 5'],
  ['shop․example', '․ (U+2024) at position 5'],
  ['example…com', '… (U+2026) at position 8'],
  ['example.com⁄path', '⁄ (U+2044) at position 12'],
  ['example.com／path', '／ (U+FF0F) at position 12'],
  ['example.com∶80', '∶ (U+2236) at position 12'],
  ['exam\u00adple.com', 'an invisible character (U+00AD) at position 5'],
  ['\u00a0example.com', 'an invisible character (U+00A0) at position 1'],
  ['example.com\u00a0', 'an invisible character (U+00A0) at position 12'],
  ['example.com\u3000', 'an invisible character (U+3000) at position 12'],
  ['\ufeffexample.com', 'an invisible character (U+FEFF) at position 1'],
  ['exam\u200bple.com', 'an invisible character (U+200B) at position 5'],
  ['exam\u200cple.com', 'an invisible character (U+200C) at position 5'],
  ['\u202eexample.com', 'an invisible character (U+202E) at position 1'],
  ['\u00a0https://example.com/', 'an invisible character (U+00A0) at position 1'],
  ['https://exam–ple.com/', '– (U+2013) at position 13'],
  ['💩–.example', '– (U+2013) at position 2'],
  ['a\ud800.example', 'an invisible character (U+D800) at position 2'],
  ['a⸺.example', '⸺ (U+2E3A) at position 2'],
])('a look-alike character in %j is named with its position', (text, name) => {
  const wanted = { reason: `it contains ${name}`, oddity: { character: expect.any(String) } };
  expect(normaliseDomain(text)).toMatchObject(wanted);
  expect(whyNoPattern(text)).toMatchObject(wanted);
});

test('the position of a look-alike character in a pattern counts stars', () => {
  expect(whyNoPattern('**.shop–*')?.reason).toBe('it contains – (U+2013) at position 8');
});

test.each([
  ['日本。jp', 'xn--wgv71a.jp'],
  ['ｓｈｏｐ－ｏｎｅ．ｅｘａｍｐｌｅ', 'shop-one.example'],
  ['l·l.cat', 'xn--ll-0ea.cat'],
  ['❤️.example', 'xn--qei.example'],
  ['∞.example', 'xn--59g.example'],
  ['می\u200cخواهم.example', 'xn--mgbn2ecje63gr19l.example'],
])('a domain with unusual but valid characters is accepted: %j', (text, domain) => {
  expect(normaliseDomain(text)).toMatchObject({ domain });
});

test('a look-alike character in the path of a URL is ignored', () => {
  expect(normaliseDomain('example.com/“a”')).toMatchObject({ domain: 'example.com' });
});

/** Text with letters, and with characters that an editor may insert. */
const typed = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...'abü.-1日') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...'“”‘’–—…․⁄＂－．。·\u00a0\u00ad\u200b\u200d\u2060\ufe0f\ufeff'),
    },
  ),
  maxLength: 12,
});

test('an accepted domain has only letters, digits, hyphens, underscores and dots', () => {
  fc.assert(
    fc.property(typed, (text) => {
      const found = normaliseDomain(text);
      if ('domain' in found && found.kind !== 'ip') expect(found.domain).toMatch(/^[a-z0-9_.-]+$/);
      // A domain with a look-alike character is an error, for it or for something before it.
      if (firstOfNoName(text) !== undefined && !/[/\\?#]/.test(text)) expect(found).toHaveProperty('reason');
    }),
    { numRuns: 200 },
  );
});

test('a look-alike character is reported at its position', () => {
  fc.assert(
    fc.property(typed, (text) => {
      for (const oddity of [firstInvisible(text), firstOfNoName(text)]) {
        if (oddity !== undefined) expect([...text][oddity.position - 1]).toBe(oddity.character);
      }
    }),
    { numRuns: 300 },
  );
});

test('trimPlain removes only plain white space', () => {
  expect(trimPlain(' \t\r\n a b \n')).toBe('a b');
  expect(trimPlain(' \u00a0a\u00a0 ')).toBe('\u00a0a\u00a0');
  expect(trimPlain('\u3000')).toBe('\u3000');
  expect(trimPlain(' é ')).toBe('é');
});

test('a domain with look-alike characters on the service can be selected in its xn-- form', () => {
  expect(domainKey('“example.com”')).toMatch(/^xn--/);
  expect(domainKey('\u00a0Example.com\u00a0')).toBe('example.com');
  expect(matcher(['xn--*'])(domainKey('“example.com”'))).toBe(true);
});
