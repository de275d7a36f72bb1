import { createHmac, hkdfSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSeals } from '../../src/sync/keys.ts';

const SERVICE = 'https://analytics.example.com';
const KEY = 'k'.repeat(40);

const seals = createSeals(KEY, SERVICE);

it('seals are HMAC-SHA-256 with an HKDF key, salted with the service URL', () => {
  const key = Buffer.from(hkdfSync('sha256', KEY, SERVICE, 'websites-as-code seals 1', 32));
  expect(seals.of('plan', 'text')).toBe(createHmac('sha256', key).update('plan\ntext').digest('hex'));
});

it('a seal is valid only for its text, kind, API key and service', () => {
  const seal = createSeals(KEY, SERVICE).of('plan', 'text');
  expect(seals.fits('plan', 'text', seal)).toBe(true);
  expect(seals.fits('plan', 'another', seal)).toBe(false);
  expect(seals.fits('journal', 'text', seal)).toBe(false);
  expect(createSeals(`${KEY}2`, SERVICE).fits('plan', 'text', seal)).toBe(false);
  expect(createSeals(KEY, `${SERVICE}/v2`).fits('plan', 'text', seal)).toBe(false);
});

it.each([undefined, null, '', 0, {}, 'é'.repeat(32), 'short', ['a']])('the seal %j is not valid', (seal) => {
  expect(seals.fits('plan', 'text', seal)).toBe(false);
});

it('a seal with one changed character is not valid', () => {
  const seal = seals.of('plan', 'text');
  const altered = (seal.startsWith('0') ? '1' : '0') + seal.slice(1);
  expect(seals.fits('plan', 'text', altered)).toBe(false);
  expect(seals.fits('plan', 'text', seal.toUpperCase())).toBe(/^\d+$/.test(seal));
});
