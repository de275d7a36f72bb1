import { expect, test } from 'vitest';
import { showError } from '../../../src/cli/io/error.ts';
import type { Io } from '../../../src/cli/io/io.ts';

test('showError prints the message of an unexpected error, and returns exit code 1', () => {
  const shown: string[] = [];
  const io = { env: {}, width: 100, err: (text: string) => void shown.push(text) } as unknown as Io;
  expect(showError(new TypeError('no such thing'), { format: 'human' }, io)).toBe(1);
  expect(shown.join('')).toContain('no such thing');
});
