import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSeals } from '../../src/sync/keys.ts';

const SERVICE = 'https://analytics.example.com';
const KEY = 'k'.repeat(40);

describe('seals', () => {
  const seals = createSeals(KEY, SERVICE);

  it('are HMAC-SHA-256 with a key by HKDF, salted with the service', () => {
    const key = Buffer.from(hkdfSync('sha256', KEY, SERVICE, 'websites-as-code seals 1', 32));
    expect(seals.of('plan', 'text')).toBe(createHmac('sha256', key).update('plan\ntext').digest('hex'));
  });

  it('fit their text and kind, with the same key on the same service, and nothing else', () => {
    const seal = createSeals(KEY, SERVICE).of('plan', 'text');
    expect(seals.fits('plan', 'text', seal)).toBe(true);
    expect(seals.fits('plan', 'another', seal)).toBe(false);
    expect(seals.fits('journal', 'text', seal)).toBe(false);
    expect(createSeals(`${KEY}2`, SERVICE).fits('plan', 'text', seal)).toBe(false);
    expect(createSeals(KEY, `${SERVICE}/v2`).fits('plan', 'text', seal)).toBe(false);
  });

  it.each([undefined, null, '', 0, {}, 'é'.repeat(32), 'short', ['a']])('takes %j for none', (seal) => {
    expect(seals.fits('plan', 'text', seal)).toBe(false);
  });

  it('differ by every character', () => {
    const seal = seals.of('plan', 'text');
    const altered = (seal.startsWith('0') ? '1' : '0') + seal.slice(1);
    expect(seals.fits('plan', 'text', altered)).toBe(false);
    expect(seals.fits('plan', 'text', seal.toUpperCase())).toBe(/^\d+$/.test(seal));
  });
});
