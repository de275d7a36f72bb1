import { format, inspect } from 'node:util';
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { formatSecretRef, isSecretRef, Secret } from '../../src/model/secret.ts';

const secret = new Secret('hunter2');

test('a Secret returns its value with reveal()', () => {
  expect(secret.reveal()).toBe('hunter2');
});

test.each<[string, () => unknown]>([
  ['template', () => `${secret}`],
  ['concatenation', () => `x${String(secret)}`],
  ['join', () => [secret, 'x'].join()],
  ['JSON', () => JSON.stringify({ secret, list: [secret] })],
  ['inspect', () => inspect({ deep: { secret } })],
  [
    'inspect, everything shown',
    () => inspect(secret, { showHidden: true, customInspect: false, getters: true }),
  ],
  ['format', () => format('%s %o %O %j', secret, secret, secret, secret)],
  ['spread', () => JSON.stringify({ ...secret })],
  ['entries', () => JSON.stringify(Object.entries(secret))],
  ['own names', () => JSON.stringify(Object.getOwnPropertyNames(secret))],
  ['a form', () => new URLSearchParams({ secret: secret as unknown as string }).toString()],
  ['an error', () => inspect(new Error('x', { cause: secret }))],
  ['a structured clone', () => inspect(structuredClone(secret))],
  ['a serialisation', () => serialize({ ...secret }).toString('latin1')],
  ['a Map', () => inspect(new Map([[secret, secret]]))],
])('a Secret does not show its value in %s', (_, show) => {
  expect(String(show())).not.toContain('hunter2');
});

test.each([
  [{ env: 'SHOP_PASSWORD' }, 'env:SHOP_PASSWORD'],
  [{ file: './secret' }, 'file:./secret'],
  [{ yaml: 'websites.yaml:14:17' }, 'yaml:websites.yaml:14:17'],
])('the secret reference %j is printed as %s', (ref, text) => {
  expect(isSecretRef(ref)).toBe(true);
  expect(formatSecretRef(ref)).toBe(text);
});

test.each([[null], [undefined], ['env'], [{}], [[]], [['env']], [5]])('%j refers to no secret', (value) => {
  expect(isSecretRef(value)).toBe(false);
});
