import { expect, test } from 'vitest';
import {
  commentsOf,
  faultsOf,
  textsOfPage,
  textsOfProgram,
  textsOfYaml,
  titlesOf,
} from '../../scripts/prose.mjs';

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

test.each([
  [`${words(30)}.`, 0],
  [`${words(31)}.`, 1],
  [`${words(20)}. ${words(20)}.`, 0],
  [`${words(29)} \`one code span of many words\`.`, 0],
  ['The run is taken back.', 1],
  ['The run is undone.', 0],
  ['The error "goes on with it" is quoted.', 0],
])('the text "%s" has %i faults of style', (text, faults) => {
  expect(faultsOf(text)).toHaveLength(faults);
});

test('textsOfPage returns paragraphs, items and cells, without code blocks', () => {
  const page =
    '# Title\n\nOne\ntwo.\n\n- three\n  four\n- five\n\n| six | seven; eight |\n|---|---|\n\n```sh\nnine\n```\n';
  const texts = textsOfPage(page).map(({ line, text }) => [line, text.trim()]);
  expect(texts).toEqual([
    [3, 'One two.'],
    [6, 'three four'],
    [8, 'five'],
    [10, 'six'],
    [10, 'seven'],
    [10, 'eight'],
  ]);
});

test('textsOfProgram returns strings, without comments', () => {
  const program =
    "// a comment's word\nconst one = 'a text'; /* \"not this\" */\nconst two = `another text`;\n";
  expect(textsOfProgram(program)).toEqual([
    { line: 2, text: 'a text' },
    { line: 3, text: 'another text' },
  ]);
});

test('commentsOf and titlesOf return comments and test titles of a program', () => {
  const program = "/**\n * Reads\n * files.\n */\n// One\n// two.\ntest('a title', () => 'text'); // three\n";
  expect(commentsOf(program)).toEqual([
    { line: 1, text: 'Reads files.' },
    { line: 5, text: 'One two.' },
    { line: 7, text: 'three' },
  ]);
  expect(titlesOf(program)).toEqual([{ line: 7, text: 'a title' }]);
});

test('textsOfYaml returns comments and descriptions', () => {
  const yaml = '# One\n# two.\nname: a\ninputs:\n  b: # three\n    description: Four.\n    run: "#five"\n';
  expect(textsOfYaml(yaml)).toEqual([
    { line: 1, text: 'One two.' },
    { line: 5, text: 'three' },
    { line: 6, text: 'Four.' },
  ]);
});
