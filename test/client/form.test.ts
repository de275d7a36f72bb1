import { describe, expect, test } from 'vitest';
import { createFormEncoder } from '../../src/client/records.ts';
import { Secret } from '../../src/model/secret.ts';

describe('a form', () => {
  const encode = createFormEncoder();
  const form = (...parameters: Parameters<typeof encode>): Record<string, string> =>
    Object.fromEntries(new URLSearchParams(encode(...parameters)));

  test('a value in a form cannot add another field', () => {
    const sent = form({ exclude_params: ['x&email=1', 'y=ü'] }, {}, 'a.com&privacy=0');
    expect(sent).toEqual({ domain: 'a.com&privacy=0', exclude_params: 'x&email=1\ny=ü' });
  });

  test('a form is encoded again if the names of fields change', () => {
    const values = { email: true, favorited_at: '2026-01-31T09:00:00Z' };
    const once = encode(values, {}, 'a.com');
    expect(encode(values, { favorited_at: 'favorite' }, 'b.com')).toBe('domain=b.com&email=1&favorite=1');
    expect(encode(values, {}, 'a.com')).toBe(once);
  });

  test('a form is encoded again if a password changes', () => {
    const secret = { text: 'first', reveal: () => secret.text };
    const values = { password: Object.setPrototypeOf(secret, Secret.prototype) };
    const names = {};
    expect(encode(values, names)).toBe('password=first');
    secret.text = 'second';
    expect(encode(values, names)).toBe('password=second');
  });
});
