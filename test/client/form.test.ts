import { expect, test } from 'vitest';
import { encodeForm } from '../../src/client/record-requests.ts';

test('a value in a form cannot add another field', () => {
  const form = encodeForm({ exclude_params: ['x&email=1', 'y=ü'] }, {}, 'a.com&privacy=0');
  const sent = Object.fromEntries(new URLSearchParams(form));
  expect(sent).toEqual({ domain: 'a.com&privacy=0', exclude_params: 'x&email=1\ny=ü' });
});

test('a form uses the field names that the service shows', () => {
  const values = { email: true, favorited_at: '2026-01-31T09:00:00Z' };
  expect(encodeForm(values, { favorited_at: 'favorite' }, 'b.com')).toBe('domain=b.com&email=1&favorite=1');
});
