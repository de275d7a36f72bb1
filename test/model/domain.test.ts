import { expect, test } from 'vitest';
import { compareDomains, domainKey, matcher, normaliseDomain } from '../../src/model/domain.ts';

const label = (length: number): string => 'a'.repeat(length);

test.each<[text: string, domain: string, dropped: string[]]>([
  ['example.com', 'example.com', []],
  ['  Example.COM\n', 'example.com', []],
  ['example.com.', 'example.com', []],
  ['www.example.com', 'www.example.com', []],
  ['a.b.c.d.example.co.uk', 'a.b.c.d.example.co.uk', []],
  ['my-shop.example', 'my-shop.example', []],
  ['123.example.com', '123.example.com', []],
  ['1.2.3.com', '1.2.3.com', []],
  ['http://example.com', 'example.com', ['the scheme']],
  ['HTTPS://Example.com', 'example.com', ['the scheme']],
  ['//example.com', 'example.com', ['the scheme']],
  ['https:/example.com/a', 'example.com', ['the scheme', 'the path']],
  ['http:example.com', 'example.com', ['the scheme']],
  ['s3://example.com', 'example.com', ['the scheme']],
  ['example.com:', 'example.com', ['the port']],
  ['ftp+tls://example.com', 'example.com', ['the scheme']],
  ['example.com/', 'example.com', ['the path']],
  ['example.com?x=1', 'example.com', ['the path']],
  ['example.com#top', 'example.com', ['the path']],
  ['example.com\\x', 'example.com', ['the path']],
  ['example.com/a\nb', 'example.com', ['the path']],
  ['example.com:8443', 'example.com', ['the port']],
  ['example.com.:443', 'example.com', ['the port']],
  ['https://example.com:443/a@b?c=d:80#e', 'example.com', ['the scheme', 'the path', 'the port']],
  ['münchen.de', 'xn--mnchen-3ya.de', []],
  ['MÜNCHEN.DE', 'xn--mnchen-3ya.de', []],
  ['mu\u0308nchen.de', 'xn--mnchen-3ya.de', []],
  ['XN--MNCHEN-3YA.DE', 'xn--mnchen-3ya.de', []],
  ['faß.de', 'xn--fa-hia.de', []],
  ['ΟΔΟΣ-2.gr', 'xn---2-k9b7bby.gr', []],
  ['οδοσ-2.gr', 'xn---2-k9b7bby.gr', []],
  ['οδος-2.gr', 'xn---2-k9b7bbs.gr', []],
  ['日本。jp', 'xn--wgv71a.jp', []],
  ['example。com', 'example.com', []],
  ['example．com。', 'example.com', []],
  ['ｅｘａｍｐｌｅ｡com', 'example.com', []],
  ['דוגמה.קום', 'xn--6dbbec0c.xn--9dbq2a', []],
  ['https://münchen.de:8080/straße', 'xn--mnchen-3ya.de', ['the scheme', 'the path', 'the port']],
  [`${label(63)}.com`, `${label(63)}.com`, []],
])('normaliseDomain accepts %j as a name', (text, domain, dropped) => {
  expect(normaliseDomain(text)).toEqual({ domain, kind: 'name', dropped });
});

test.each([
  ['192.0.2.1', '192.0.2.1', 'ip'],
  ['http://192.0.2.1:8080/', '192.0.2.1', 'ip'],
  ['１９２.0.2.1', '192.0.2.1', 'ip'],
  ['localhost', 'localhost', 'label'],
  ['localhost:3000', 'localhost', 'label'],
  ['__proto__', '__proto__', 'label'],
  ['constructor', 'constructor', 'label'],
  ['_dmarc.example.com', '_dmarc.example.com', 'underscore'],
  ['https://My_Shop.example/', 'my_shop.example', 'underscore'],
  ['münchen_1.example', 'xn--mnchen_1-65a.example', 'underscore'],
  ['example.c', 'example.c', 'no-tld'],
  ['example.c1', 'example.c1', 'no-tld'],
])('normaliseDomain accepts %j as %s, of the kind %s', (text, domain, kind) => {
  expect(normaliseDomain(text)).toMatchObject({ domain, kind });
});

test.each<[text: string, reason: string]>([
  ['', 'it is empty'],
  [' \t', 'it is empty'],
  ['.', 'it is empty'],
  ['https://', 'it is empty'],
  ['https:///path', 'it is empty'],
  ['user@example.com', 'it contains an @'],
  ['https://user:secret@example.com/', 'it contains an @'],
  ['exa mple.com', 'white space'],
  ['exa\tmple.com', 'white space'],
  ['exä\tmple.com', 'white space'],
  ['exä\nmple.com', 'white space'],
  ['*.example.com', 'it contains a *, which is valid only in patterns'],
  ['.example.com', 'a label is not 1 to 63'],
  ['a..b', 'a label is not 1 to 63'],
  ['ä..de', 'a label is not 1 to 63'],
  ['example.com..', 'a label is not 1 to 63'],
  ['example.com。.', 'a label is not 1 to 63'],
  ['-a.com', 'a label is not 1 to 63'],
  ['a-.com', 'a label is not 1 to 63'],
  ['1.2.3', 'its last label is a number'],
  ['1.2.3.4.5', 'its last label is a number'],
  ['256.1.1.1', 'its last label is a number'],
  ['01.2.3.4', 'its last label is a number'],
  ['example.123', 'its last label is a number'],
  ['example.0x7f', 'its last label is a number'],
  ['example.0x', 'its last label is a number'],
  ['42', 'its last label is a number'],
  ['１.２.３', 'its last label is a number'],
  ['１', 'its last label is a number'],
  ['０x7f.１', 'its last label is a number'],
  ['exam%70le.com', 'it contains "%"'],
  ['ä%41.com', 'it contains "%"'],
  ['ä％41.com', 'it contains ％ (U+FF05)'],
  ['ä／b.com', 'it contains ／ (U+FF0F)'],
  ['ä＠b.com', 'it contains ＠ (U+FF20)'],
  ['ä：80.com', 'it contains ： (U+FF1A)'],
  ['ä℀.com', 'a label is not 1 to 63'],
  ['2001:db8::1', 'it contains ":"'],
  ['[2001:db8::1]:80', 'it contains "["'],
  ['a:80:80.com', 'it contains ":"'],
  ['example.com:port', 'it contains ":"'],
  ['example.com:123456', 'it contains ":"'],
  ['exam\u0000ple.com', 'it contains "\\u0000"'],
  ["a'; drop table websites;--.com", 'white space'],
  ['<script>.com', 'it contains "<"'],
])('normaliseDomain returns a reason why %j is not a domain', (text, reason) => {
  const result = normaliseDomain(text);
  expect(result).toHaveProperty('reason');
  expect('reason' in result && result.reason).toContain(reason);
});

test.each([
  [`${label(64)}.com`, 'a label is not 1 to 63'],
  [`example.${label(64)}`, 'a label is not 1 to 63'],
  [`${'ä'.repeat(60)}.com`, 'a label is not 1 to 63'],
  [`${'a.'.repeat(126)}com`, 'longer than 253'],
  ['a'.repeat(1_000_000), 'longer than 253'],
  [`${'äöü'.repeat(100_000)}.com`, 'longer than 253'],
])('normaliseDomain returns a reason if a name is too long (%#)', (text, reason) => {
  expect(normaliseDomain(text)).toHaveProperty('reason', expect.stringContaining(reason));
});

test('a domain can have up to 253 characters in its ASCII form', () => {
  const longest = `${`${label(61)}.`.repeat(4)}abcde`;
  expect(longest).toHaveLength(253);
  expect(normaliseDomain(longest)).toMatchObject({ domain: longest });
  expect(normaliseDomain(`${longest}f`)).toHaveProperty('reason');
  expect(normaliseDomain(`${longest}.`)).toMatchObject({ domain: longest });
});

test('an error about a domain does not repeat credentials before an @', () => {
  expect(JSON.stringify(normaliseDomain('https://user:secret@example.com'))).not.toContain('secret');
});

test.each([
  ['Example.com.', 'example.com'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['https://example.com/x', 'example.com'],
  [' Not a Domain ', 'not a domain'],
  ['1.2.3', '1.2.3'],
  ['', ''],
])('domainKey(%j) is %j, and the key of that key is the same', (text, key) => {
  expect(domainKey(text)).toBe(key);
  expect(domainKey(key)).toBe(key);
});

test('compareDomains orders domains by code unit in any locale', () => {
  const domains = ['b.com', 'a.com', 'z.com', 'xn--a.com', 'a-b.com', '10.com', '9.com'];
  expect(domains.sort(compareDomains)).toEqual([
    '10.com',
    '9.com',
    'a-b.com',
    'a.com',
    'b.com',
    'xn--a.com',
    'z.com',
  ]);
  expect(compareDomains('a', 'a')).toBe(0);
});

test.each<[pattern: string, domain: string, matches: boolean]>([
  ['example.com', 'example.com', true],
  ['example.com', 'www.example.com', false],
  ['example.com', 'example.com.evil.net', false],
  ['example.com', 'examplexcom', false],
  [' EXAMPLE.com. ', 'example.com', true],
  ['https://example.com/', 'example.com', true],
  ['münchen.de', 'xn--mnchen-3ya.de', true],
  ['not a domain', 'not a domain', true],
  ['*', 'example.com', true],
  ['*', '', true],
  ['*', 'odd\nname', true],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', '.example.com', true],
  ['*.example.com', 'a.example.com.evil.net', false],
  ['*.example.com', 'aXexample.com', false],
  [' *.EXAMPLE.com. ', 'a.example.com', true],
  ['*。example．com', 'a.example.com', true],
  ['*.münchen.de', 'a.xn--mnchen-3ya.de', true],
  ['*.ΟΔΟΣ-2.gr', 'a.xn---2-k9b7bby.gr', true],
  ['shop.*', 'shop.example.com', true],
  ['shop.*', 'xshop.example.com', false],
  ['*example*', 'my-example.com', true],
  ['*example*', 'exampl.com', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['ab*ba', 'aba', false],
  ['*ab*ab*', 'xabyabz', true],
  ['*ab*ab*', 'xabz', false],
  ['a*bc*c', 'abc', false],
  ['a*bc*c', 'abcc', true],
  ['**', 'example.com', true],
  ['a+b*', 'aab.com', false],
  ['(a)*', '(a).com', true],
  ['[a-z]*', 'a.com', false],
  ['a?*', 'ab.com', false],
  ['', 'example.com', false],
])('matching the pattern %j with the domain %j gives %j', (pattern, domain, matches) => {
  expect(matcher([pattern])(domain)).toBe(matches);
});

test('a matcher of several patterns accepts a domain that fits any of them', () => {
  const test = matcher(['a.com', '*.b.com', '__proto__']);
  expect(['a.com', 'x.b.com', '__proto__', 'b.com', 'toString'].filter(test)).toEqual([
    'a.com',
    'x.b.com',
    '__proto__',
  ]);
  expect(matcher([])('a.com')).toBe(false);
});

test('a pattern with many stars is matched quickly against a long domain', () => {
  const domain = 'a'.repeat(250);
  expect(matcher([`${'*a'.repeat(100)}*b`])(domain)).toBe(false);
  expect(matcher([`${'a*'.repeat(100)}a`])(domain)).toBe(true);
  expect(matcher([`${'*a'.repeat(500_000)}`])(domain)).toBe(false);
});
