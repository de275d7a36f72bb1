import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchFor } from '../../src/util/secret-forms.ts';

const KEY = 'Ab+c/9-some"key&x<y\\z_7Q\'q';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
const each = (text: string, write: (code: number) => string): string =>
  [...Buffer.from(text)].map(write).join('');

const FORMS: Readonly<Record<string, (key: string) => string>> = {
  'without encoding': (key) => key,
  'in lower case': (key) => key.toLowerCase(),
  'in an address': encodeURIComponent,
  'in a form': (key) => new URLSearchParams({ key }).toString().slice('key='.length),
  'in a URL inside another': (key) => encodeURIComponent(encodeURIComponent(key)),
  'percent-encoded throughout': (key) => each(key, (code) => `%${code.toString(16).padStart(2, '0')}`),
  'in JSON': (key) => JSON.stringify(key).slice(1, -1),
  'in JSON inside JSON': (key) => JSON.stringify(JSON.stringify(key)).slice(3, -3),
  'in JSON, escaped throughout': (key) => each(key, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in HTML': html,
  'in HTML inside HTML': (key) => html(html(key)),
  'in HTML, escaped throughout': (key) => each(key, (code) => `&#x${code.toString(16)};`),
  'in a URL inside a page': (key) => html(encodeURIComponent(html(key))),
  'in hex': (key) => Buffer.from(key).toString('hex').toUpperCase(),
};

const keys = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map(String.fromCharCode),
  minLength: 16,
  maxLength: 60,
});

test.each(Object.keys(FORMS))('a secret is found in a text if it is written %s', (name) => {
  fc.assert(
    fc.property(keys, (key) => {
      const written = FORMS[name]?.(key) ?? '';
      expect(searchFor(key).replacedIn(`before ${written} after`, '-')).toBe('before - after');
    }),
    { numRuns: 50, examples: [[KEY]] },
  );
});

test('a secret is found in base64 with any text around it', () => {
  fc.assert(
    fc.property(keys, fc.string(), fc.string(), fc.boolean(), (key, before, after, isForAddresses) => {
      const text = Buffer.from(before + key + after).toString(isForAddresses ? 'base64url' : 'base64');
      const left = searchFor(key).replacedIn(text, '-');
      expect(left.length).toBeLessThanOrEqual(text.length - key.length);
      expect(Buffer.from(left, 'base64').toString('latin1')).not.toContain(key.slice(2, -2));
    }),
  );
});

test('a secret under 16 characters is found in every encoding but base64 and hex', () => {
  const coded = [base64('Short-key1'), Buffer.from('Short-key1').toString('hex')].join();
  expect(searchFor('Short-key1').replacedIn(`Short-key1, Short%2Dkey1, ${coded}`, '-')).toBe(
    `-, -, ${coded}`,
  );
  const search = searchFor('a&b');
  const forms = [
    'a&b',
    'A&amp;b',
    'a%26b',
    'a\\u0026b',
    'a&#38;b',
    'a&#x26;b',
    '%61%26%62',
    'a%2526b',
    'a%26amp%3Bb',
  ];
  for (const text of forms) expect(search.isIn(text)).toBe(true);
  expect(searchFor('a b~c!').isIn('a+b~c!')).toBe(true);
  expect(searchFor('pÄ🔑').isIn('p&#196;&#x1F511;')).toBe(true);
  expect(searchFor("it's").isIn('it&#039;s')).toBe(true);
});

test.each(['\\', '%25', '&amp;', '&#38;', 'Ab+c'])('searching a text of %s for a secret is fast', (part) => {
  const text = part.repeat(2_000_000 / part.length);
  expect(searchFor(KEY).isIn(text)).toBe(false);
});
