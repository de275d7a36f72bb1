import { expect, test } from 'vitest';
import { formatPlace } from '../../src/model/errors.ts';

test('a place reads as editors and CI systems read it', () => {
  expect(formatPlace({ file: 'sites/a b.yaml', line: 12, column: 3 })).toBe('sites/a b.yaml:12:3');
});
