// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is a placeholder here
import { expect, test } from 'vitest';
import { secretWarnings, withoutLineEnd } from '../../src/util/secret-text.ts';

test.each([
  ['hunter2\n', 'hunter2'],
  ['hunter2\r\n', 'hunter2'],
  ['hunter2\n\n\r\n', 'hunter2'],
  ['two\nlines\n', 'two\nlines'],
  ['\nhunter2 ', '\nhunter2 '],
  ['\n', ''],
])('the secret %j is sent as %j', (text, sent) => {
  expect(withoutLineEnd(text)).toBe(sent);
});

const MESSAGES: Readonly<Record<string, string>> = {
  quotes: 'is in quotes',
  'line-end': 'ends in a line end, which is not sent',
  placeholder: 'is a placeholder',
  unresolved: 'is a placeholder',
};

test.each<[string, readonly string[]]>([
  ['hunter2', []],
  ['', []],
  ['"hunter2"', ['quotes']],
  ["'hunter2'", ['quotes']],
  ['hunter2\n', ['line-end']],
  ['"hunter2"\n', ['line-end', 'quotes']],
  ['<PASSWORD>', ['placeholder']],
  ['$SHOP_PASSWORD', ['placeholder']],
  ['$(cat secret)', ['placeholder']],
  ['%SHOP_PASSWORD%', ['placeholder']],
  ['changeme', ['placeholder']],
  ['CHANGE_ME', ['placeholder']],
  ['replace-me', ['placeholder']],
  ['your-api-key', ['placeholder']],
  ['YOUR API KEY HERE', ['placeholder']],
  ['xxxxxxxx', ['placeholder']],
  ['********', ['placeholder']],
  ['${SHOP_PASSWORD}', ['unresolved']],
  ['${{ secrets.SHOP }}', ['unresolved']],
  ['{{ shop_password }}', ['unresolved']],
  ['(sensitive)', ['unresolved']],
])('the secret %j causes the warnings %j', (text, doubts) => {
  expect(secretWarnings(text).map(({ message }) => message)).toEqual(doubts.map((doubt) => MESSAGES[doubt]));
});

test.each(['"', '""', '"a', 'a"b"', '<a', '$a', '$1', 'secret', 'password', 'xxx', 'changes', 'a${B}', 'k'])(
  'the secret %s causes no warning',
  (text) => {
    expect(secretWarnings(text)).toEqual([]);
  },
);
