import { expect, test } from 'vitest';
import { createSource } from '../../../src/config/read/source.ts';
import { hideByText } from '../../../src/config/yaml/hide.ts';

/** The lines of an unreadable text that may be shown. */
const shownOf = (text: string): string[] => {
  const hidden = hideByText(createSource('websites.yaml', text));
  return text.split('\n').filter((_, index) => !hidden(index + 1));
};

test.each<[string, string[]]>([
  ['domain: a.example\n- a.example', ['domain: a.example', '- a.example']],
  ['domain: a.example\n  more of it', ['domain: a.example']],
  ['domain: https://a.example/?k=x\n- me:x@a.example\n- b', ['- b']],
  ['- b\npasswrd: x', []],
  ['- b\npassword: { env: X }', []],
])('an excerpt of %j shows only %j', (text, shown) => {
  expect(shownOf(text)).toEqual(shown);
});
