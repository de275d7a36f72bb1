import { expect, it, test } from 'vitest';
import { type Problem, WebsitesError } from '../../src/model/errors.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import { say } from '../../src/report/sanitize.ts';
import { columns } from '../../src/report/text.ts';
import { times } from '../support/plans.ts';
import { errorHuman, warningsHuman } from './render.ts';

const render = (problems: readonly Problem[], width = 80): string =>
  terminalText(
    { headline: say`failed`, body: [{ kind: 'problems', items: problems }] },
    { color: false, width },
  );

/** A problem at the part of `line` between the brackets ‹ and ›. */
function marked(line: string, parts: Partial<Problem> = {}): Problem {
  const start = line.indexOf('‹');
  const length = line.indexOf('›') - start - 1;
  return {
    severity: 'error',
    message: 'message',
    place: { file: 'websites.yaml', line: 14, column: start + 1 },
    excerpt: { text: line.replace(/[‹›]/g, ''), length },
    ...parts,
  };
}

/** The part of the source line above the carets. */
function underlined(text: string): string {
  const [, source = '', caret = ''] = text.split('\n');
  const from = caret.indexOf('^');
  const to = caret.lastIndexOf('^') + 1;
  let [column, part] = [0, ''];
  for (const character of source) {
    if (column >= from && column < to) part += character;
    column += columns(character);
  }
  return part;
}

it('an empty list of problems prints nothing', () => {
  expect(render([])).toBe('');
});

it('a problem is printed with its location, its source line and a help line', () => {
  const text = render([
    marked('    ‹privcay›: 1', { message: 'unknown key "privcay"', remedy: 'Did you mean "privacy"?' }),
    marked('  - domain: ‹shop›', {
      severity: 'warning',
      place: { file: 'sites/a.yaml', line: 105, column: 13 },
    }),
    { severity: 'error', message: 'No YAML file in sites.' },
  ]);
  expect(text).toMatchInlineSnapshot(`
      "websites.yaml:14:5: error: unknown key "privcay"
        14 |     privcay: 1
           |     ^^^^^^^
        help: Did you mean "privacy"?

      sites/a.yaml:105:13: warning: message
        105 |   - domain: shop
            |             ^^^^

      error: No YAML file in sites.
      "
    `);
});

it.each([
  ['plain text', '    ‹privcay›: 1', 'privcay'],
  ['text after tabs', '\t\t‹privcay›: 1', 'privcay'],
  ['tabs', '‹\t\t›privacy: 1', ' '.repeat(8)],
  ['text after wide characters', '  - domain: 例え.jp, ‹privcay›: 1', 'privcay'],
  ['wide characters', '  - domain: ‹例え.jp›', '例え.jp'],
  ['combining marks', '  e\u0301e\u0301: ‹x›', 'x'],
  ['characters that are shown as escapes', '  a: ‹\u202eb›', '\\u202eb'],
  ['a long line, long before and after', `${'a: b, '.repeat(30)}‹bad›: 1${', more: less'.repeat(30)}`, 'bad'],
  ['the end of a long line', `${'a: b, '.repeat(100)}‹bad›`, 'bad'],
])('a problem underlines %s', (_, line, expected) => {
  const text = render([marked(line)]);
  expect(underlined(text)).toBe(expected);
  for (const shown of text.split('\n')) expect(columns(shown)).toBeLessThanOrEqual(80);
});

it('a problem without marked text has one caret, also at the end of a line', () => {
  expect(render([marked('  - domain:‹›')])).toContain('     |            ^\n');
});

it('a problem cuts underlined text that is wider than the terminal', () => {
  const text = render([marked(`  x: ‹${'y'.repeat(300)}›`)]);
  expect(underlined(text)).toMatch(/^y+… \(\d+ more\) …y+$/);
  for (const shown of text.split('\n')) expect(columns(shown)).toBeLessThanOrEqual(80);
});

it('of 80 problems, fifty are printed, errors before warnings', () => {
  const problems = times(
    80,
    (index): Problem => ({ severity: index % 4 === 3 ? 'error' : 'warning', message: `number ${index}` }),
  );
  const error = new WebsitesError('config-invalid', 'No.', { problems });
  const lines = errorHuman(error, { color: false, width: 80 }).match(/^(?:error|warning|…).*/gm) ?? [];
  expect(lines.map((line) => /^\w+/.exec(line)?.[0])).toEqual([
    ...times(20, () => 'error'),
    ...times(30, () => 'warning'),
    undefined,
  ]);
  expect(lines.at(-1)).toBe('… and 30 more problems');
});

test('warningsHuman counts the warnings at its end', () => {
  const warning = { severity: 'warning', message: 'doubtful' } as const;
  expect(warningsHuman([warning, warning], { color: false, width: 80 })).toMatch(/\n2 warnings\.\n$/);
});
