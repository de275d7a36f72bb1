import { expect, test } from 'vitest';
import { redacted, withoutLogin } from '../../src/util/redact.ts';

test.each([
  ['"https://a.example/x?key=k" is no domain', '"https://a.example/x?…" is no domain'],
  ["at 'https://a.example?key=k': no", "at 'https://a.example?…': no"],
  ['https://a.example/?a=1?b=2&c=/x', 'https://a.example/?…'],
  ['https://a.example/x#k is no domain', 'https://a.example/x#… is no domain'],
  ['https://a.example/?', 'https://a.example/?'],
  ['a.example/#k and https://a.example', 'a.example/#k and https://a.example'],
  ['is it a.example? no', 'is it a.example? no'],
  ['what? https://a.example/x', 'what? https://a.example/x'],
  ['"https://me:p@a.example/?token=t"', '"https://…@a.example/?…"'],
  ['" https://a.example/?k=1 "', '" https://a.example/?… "'],
  ['me:p?w@a.example/?token=t', '…@a.example/?…'],
  [`https://me:p@a.example/${'x'.repeat(500)}?token=t`, `…@a.example/${'x'.repeat(500)}?…`],
])('the queries of URLs are removed from text: %s', (text, shown) => {
  expect(redacted(text)).toBe(shown);
});

test.each([
  ["unable to access 'https://me:p@ss/w@host/x.git/': 403", "unable to access 'https://…@host/x.git/': 403"],
  ['https://me@host/x?token=t.', 'https://…@host/x?….'],
  ['mail me@host.example', 'mail me@host.example'],
  ['ssh://git@host/x and https://a:b@c', 'ssh://…@host/x and https://…@c'],
])('credentials are removed from the output of other programs: %s', (text, shown) => {
  expect(redacted(text)).toBe(shown);
});

test.each([
  ['"https://me:p@ss/w@a.example/x" is no domain', '"https://…@a.example/x" is no domain'],
  ['https://me:p/ss@a.example', 'https://…@a.example'],
  ['me:p@ss/w@a.example', '…@a.example'],
  ['mail me@a.example', 'mail me@a.example'],
])('credentials are removed from a URL up to the last @ of the word: %s', (text, shown) => {
  expect(withoutLogin(text)).toBe(shown);
});

test.each(['a', '://', '?', "'", '@', 'a://?@'])('a long text of %j is redacted quickly', (part) => {
  const text = part.repeat(200_000);
  expect(redacted(text).length).toBeLessThanOrEqual(text.length + 1);
});
