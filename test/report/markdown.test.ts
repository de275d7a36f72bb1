import fc from 'fast-check';
import { expect, it } from 'vitest';
import { code, inline } from '../../src/report/media/markdown.ts';
import { hostileText } from './arbitrary.ts';
import { outsideCode } from './outside-code.ts';

it.each([
  ['shop.example.com', '`shop.example.com`'],
  ['a`b', '``a`b``'],
  ['``', '``` `` ```'],
  ['`a', '`` `a ``'],
  ['', '` `'],
  ['a\nb\u202e', '`a b\\u202e`'],
  ['@team #12 <b>', '`@team #12 <b>`'],
])('code() quotes %j as Markdown code', (text, expected) => {
  expect(code(text)).toBe(expected);
});

it('code() puts every character of any text inside the code span', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(outsideCode(`a ${code(text)} b`)).toBe('a  b');
    }),
  );
});

it.each([
  ['The plan deletes 25 of 125 records.', 'The plan deletes 25 of 125 records.'],
  ['Say --allow-deletes 25 where you want.', 'Say `--allow-deletes 25` where you want.'],
  ['No file matches sites/*.yml, b.yaml.', 'No file matches `sites/*.yml`, `b.yaml`.'],
  [
    'See "websites apply --resume", then "--prune" it.',
    'See "`websites apply --resume`", then "`--prune`" it.',
  ],
  ['See "websites doctor" (or not).', 'See "websites doctor" (or not).'],
  ['Its place: a.example.com (#1, #2).', 'Its place: `a.example.com` (`#1`, `#2`).'],
  ['It redirects (308), https://a.example too', 'It redirects (308), `https://a.example` too'],
  ['1 with www., 2 without', '1 with `www.`, 2 without'],
  ["Add --map 'a, (b)=' to it.", "Add `--map` `'a`, (`b)='` to it."],
  ['ping @team about #12', 'ping `@team` about `#12`'],
  ['a <b>c</b> | d', 'a `<b>c</b>` `|` d'],
  ['commit deadbeef or cafe', 'commit `deadbeef` or cafe'],
  ['Did you mean "websites plan"? See help.', 'Did you mean "websites plan"? See help.'],
  ['Did you mean --prune? Did you mean json?', 'Did you mean `--prune`? Did you mean json?'],
  ['1. no list', '`1`. no list'],
  ['1) no list', '`1`) no list'],
  ['1234567 is long', '`1234567` is long'],
  ['', ''],
  ['…', '…'],
  ['::', '`:`:'],
])('inline() escapes %j for Markdown', (text, expected) => {
  expect(inline(text)).toBe(expected);
});

it('inline() leaves only words and small numbers outside of code', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(outsideCode(`- ${inline(text)}`)).toMatch(
        // A quote or a bracket alone closes the text around code.
        /^- (?:(?:[("]?[A-Za-z'-]+[)"]?|[(")]*|\(?\d{1,6}%?\)?|[→×…])?[.,;:?]?(?: |$))*$/,
      );
    }),
  );
});
