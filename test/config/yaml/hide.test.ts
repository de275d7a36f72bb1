import { describe, expect, test } from 'vitest';
import { createSource } from '../../../src/config/read/source.ts';
import { hideByText } from '../../../src/config/yaml/hide.ts';

/** The lines of an unreadable text, without their hidden parts. */
const shownOf = (text: string): string[] => {
  const hidden = hideByText(createSource('websites.yaml', text));
  return text.split('\n').map((line, index) => {
    const column = hidden(index + 1);
    return column === undefined ? line : line.slice(0, column - 1);
  });
};

describe('of a text that could not be read', () => {
  test.each<[string, string[]]>([
    ['domain: a.example', ['domain: a.example']],
    ['password:s3cret', ['password:']],
    ['passphrase: s3cret', ['passphrase:']],
    ['pword: s3cret', ['pword:']],
    ['pswd: s3cret', ['pswd:']],
    ['domain: a\n  password : "s3cret\nmore s3cret', ['domain: a', '  password', '']],
    ['? password\n: s3cret', ['? password', '']],
    ['? password\n: [s3cret: x', ['? password', '']],
    ['privacy: 2\n? password\n   : s3cret: more', ['privacy: 2', '? password', '']],
    ['{"password":"s3cret"}', ['{"password"']],
    ['password: |\n  s3cret\n  more of it', ['password:', '', '']],
    [
      '  password: |\n    s3: cret\n    - s3cret\n\n  - s3cret\n  email: true\n    more: of it',
      ['  password:', '', '', '', '', '  email: true', '    more: of it'],
    ],
    ['- password: x\n- domain: a.example', ['- password:', '- domain: a.example']],
    ['password: x\ndomain: a.example\n  and more', ['password:', 'domain: a.example', '  and more']],
  ])('%j shows no more than %j', (text, shown) => {
    const lines = shownOf(text);
    expect(lines.map((line) => line.trimEnd())).toEqual(shown);
  });

  test('a value without a visible key is hidden', () => {
    const block = Array.from({ length: 60 }, (_, index) => `  s3cret line ${index}`);
    expect(shownOf('s3cret alone')).toEqual(['']);
    expect(shownOf(['password: |', ...block].join('\n')).slice(1)).toEqual(block.map(() => ''));
  });
});
