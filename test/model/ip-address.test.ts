import { expect, test } from 'vitest';
import { canonicalAddress } from '../../src/model/ip-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1\r', '192.0.2.1'],
  ['255.255.255.255', '255.255.255.255'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:db8::1', '2001:db8::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::', '::'],
  ['0:0:0:0:0:0:0:0/0', '::/0'],
  ['::1/128', '::1/128'],
  ['::ffff:192.0.2.1', '::ffff:c000:201'],
])('the IP address %j has the canonical form %j', (text, canonical) => {
  expect(canonicalAddress(text)).toBe(canonical);
  expect(canonicalAddress(canonical)).toBe(canonical);
});

test.each([
  '',
  'example.com',
  '1.2.3',
  '1.2.3.4.5',
  '256.0.0.1',
  '01.2.3.4',
  '0x7f.0.0.1',
  '１.2.3.4',
  '1.2.3.4:80',
  '192.0.2.0/33',
  '192.0.2.0/',
  '192.0.2.0/24/8',
  '192.0.2.0-192.0.2.9',
  '192.0.2.*',
  ':',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  '[::1]',
  'fe80::1%eth0',
  '::1/129',
  '::1.2.3',
  '::1#',
])('%j is not a valid IP address or network', (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});
