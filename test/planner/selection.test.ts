import { expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { checkSelection } from '../../src/planner/selection.ts';

test.each<[string, string]>([
  ['a.example,b.example', 'it contains ","'],
  ['a.example b.example', 'it contains white space'],
  ['https://*.example', 'it contains the scheme'],
  ['*.example/', 'it contains the path'],
  ['*ü.example', 'an internationalized label cannot contain a *'],
  ['shop?.example', 'it contains the path'],
  ['https://shop.example/', 'it contains the scheme and the path'],
  ['', 'it is empty'],
  ['“a.example”', 'it contains “ (U+201C) at position 1'],
  ['*.example\u00a0', 'it contains an invisible character (U+00A0) at position 10'],
])('--domain and --exclude with the pattern %j are an error', (pattern, reason) => {
  const wanted = { code: 'usage', message: expect.stringContaining(reason) };
  for (const selection of [
    { domain: [pattern], exclude: [] },
    { domain: ['*'], exclude: ['a.example', pattern] },
  ]) {
    expect(refusalOf(() => checkSelection(selection))).toMatchObject(wanted);
  }
});

test.each([
  '*',
  'shop.*',
  '*.EXAMPLE.',
  'bücher.example',
  `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61),
  'localhost',
  '192.0.2.*',
  '*.xn--bcher-kva.example',
])('--domain and --exclude accept the pattern %s', (pattern) => {
  expect(refusalOf(() => checkSelection({ domain: [pattern], exclude: [pattern] }))).toBeUndefined();
});

function refusalOf(check: () => void): WebsitesError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof WebsitesError) return error;
    throw error;
  }
}
