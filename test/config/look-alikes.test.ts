/** Characters that resemble others: each is reported at its own place. */
import { expect, test } from 'vitest';
import { lines, problemsOf } from './support.ts';

const QUOTE = 'it contains “ (U+201C) at position 1';
const DASH = 'it contains – (U+2013) at position 5';
const SPACE = 'an invisible character (U+00A0)';

test.each([
  ['websites: [“a.example”]\n', `1:12 "“a.example”" is not a domain: ${QUOTE}`],
  [
    'websites:\n  - domain: shop–one.example\n    email: true\n',
    `2:17 "shop–one.example" is not a domain: ${DASH}`,
  ],
  ['ignore: [“*.b”]\n', `1:10 ignore: "“*.b”" is not a valid domain pattern: ${QUOTE}`],
  ['protected: [shop–*]\n', `1:17 protected: "shop–*" is not a valid domain pattern: ${DASH}`],
  ['websites: ["\\u201Ca.example"]\n', `1:12 "“a.example" is not a domain: ${QUOTE}`],
  [
    'websites: [a.example\u00a0]\n',
    `1:21 "a.example\u00a0" is not a domain: it contains ${SPACE} at position 10`,
  ],
  ['“ignore”: []\n', `1:1 unknown key "“ignore”": ${QUOTE}`],
  ['\u00a0version: 1\n', `1:1 unknown key "\u00a0version": it contains ${SPACE} at position 1`],
  [
    'websites: [{ domain: a.example,\u00a0email: true }]\n',
    `1:32 unknown key "\u00a0email": it contains ${SPACE} at position 1`,
  ],
  [
    'websites:\n  - domain: a.example\n  \u00a0 email: true\n',
    `3:3 found ${SPACE}, which YAML reads as text`,
  ],
  ['websites:\n  - a.example\n\u00a0 - b.example\n', `3:1 found ${SPACE}, which YAML reads as text`],
  ['version:\u00a01\nwebsites: []\n', `1:9 found ${SPACE}, which YAML reads as text`],
  ['websites:\n  -\u00a0a.example\n', `2:4 websites must be a list: it contains ${SPACE} at position 2`],
  [
    'websites: [{ domain: a.example, privacy: private\u200b }]\n',
    '1:49 privacy must be public, private, password or a number (0, 1, 2): it contains an invisible character (U+200B) at position 8',
  ],
  ['websites: [{ domain: a.example, email: “true” }]\n', `1:40 email must be true or false: ${QUOTE}`],
  [
    'websites: [{ domain: a.example, exclude_ips: [192.0.2.1\u00a0] }]\n',
    `1:56 exclude_ips: "192.0.2.1\u00a0" is not an IP address or network: it contains ${SPACE} at position 10`,
  ],
  [
    'websites: [{ domain: a.example, exclude_params: [ref, utm\u00a0] }]\n',
    `1:58 warning: an item of exclude_params may not be what it looks like: it contains ${SPACE} at position 4`,
  ],
])('a look-alike character in YAML is reported: %j: %j', async (text, told) => {
  expect(lines(await problemsOf(text))).toEqual([told]);
});

test('a look-alike character in a quoted string or comment causes no syntax error', async () => {
  expect(lines(await problemsOf('ignore: ["a\u00a0b"]x # \u00a0\n'))[0]).not.toContain('U+00A0');
});

const told = async (name: string, text: string) =>
  lines(await problemsOf({ 'websites.yaml': `websites: { from: ${name} }\n`, [name]: text }));

test.each([
  ['a.txt', 'b.example\n“a.example”\n', `a.txt:2:1 "“a.example”" is not a domain: ${QUOTE}`],
  ['a.csv', 'email,domain\n1,“a.example”\n', `a.csv:2:3 "“a.example”" is not a domain: ${QUOTE}`],
  [
    'a.csv',
    'domain,privacy\na.example,private\u00a0\n',
    `a.csv:2:18 privacy must be public, private, password or a number (0, 1, 2): it contains ${SPACE} at position 8`,
  ],
  [
    'a.csv',
    'domain,exclude_ips\na.example,192.0.2.1\u00a0192.0.2.2\n',
    `a.csv:2:20 exclude_ips: "192.0.2.1\u00a0192.0.2.2" is not an IP address or network: it contains ${SPACE} at position 10`,
  ],
])('a look-alike character in %s is reported: %j', async (name, text, wanted) => {
  expect(await told(name, text)).toEqual([wanted]);
});
