/** The variables for color have their usual meaning (no-color.org; FORCE_COLOR as Node reads it). */
import { expect, test } from 'vitest';
import { type Io, wantsColor } from '../../src/cli/io/io.ts';

const onTerminal = (env: Io['env']) => wantsColor({ env } as Io, true);

test.each(['1', '0', 'false'])('NO_COLOR=%s disables color, unless FORCE_COLOR enables it', (value) => {
  expect(onTerminal({ NO_COLOR: value })).toBe(false);
  expect(onTerminal({ NO_COLOR: value, FORCE_COLOR: '1' })).toBe(true);
});

test.each([
  ['0', false],
  ['2', true],
  ['3', true],
  ['true', true],
  ['yes', false],
])('FORCE_COLOR=%s sets color to %s, whether or not the output is a terminal', (value, isColoured) => {
  const env: Io['env'] = { FORCE_COLOR: value };
  expect(wantsColor({ env } as Io, !isColoured)).toBe(isColoured);
});

test('without NO_COLOR, or with an empty one, output has color only on a terminal', () => {
  expect(onTerminal({})).toBe(true);
  expect(onTerminal({ NO_COLOR: '', FORCE_COLOR: '' })).toBe(true);
  expect(wantsColor({ env: {} } as Io, false)).toBe(false);
});
