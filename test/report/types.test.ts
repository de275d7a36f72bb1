import { expect, test } from 'vitest';
import type { FieldName } from '../../src/model/field-table.ts';
import { prose, say } from '../../src/report/sanitize.ts';

const foreign: string = '\u202e';
const field = 'email' as FieldName;

test('say() accepts only numbers, literal words and escaped text', () => {
  expect(say`${1} of ${field}: ${prose(foreign)}`).toBe('1 of email: \\u202e');
  // @ts-expect-error any text may be harmful
  say`${foreign}`;
  // @ts-expect-error also within a text of ours
  say`${`a ${foreign}`}`;
  // @ts-expect-error and as one of several
  say`${foreign as FieldName | string}`;
});
