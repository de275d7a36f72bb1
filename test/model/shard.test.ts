import { describe, expect, test } from 'vitest';
import { inShard, isSameShard, overlap, parseShard, type Shard, shardFlag } from '../../src/model/shard.ts';
import { domainOf, times } from '../support/plans.ts';

/** The index of the shard that has a domain. */
const indexOf = (domain: string, count: number): number =>
  times(count, (index) => index).findIndex((index) => inShard({ index, count })(domain));

describe('reading', () => {
  test.each<[string, Shard]>([
    ['0/1', { index: 0, count: 1 }],
    ['0/8', { index: 0, count: 8 }],
    ['7/8', { index: 7, count: 8 }],
    [' 12/10000 ', { index: 12, count: 10_000 }],
  ])('%s', (text, shard) => {
    expect(parseShard(text)).toEqual(shard);
    expect(shardFlag(shard)).toBe(` --shard ${text.trim()}`);
  });

  test.each([
    ['8/8', 'counting starts at 0, so the last of 8 shards is 7/8'],
    ['9/8', 'counting starts at 0'],
    ['1/1', 'the last of 1 shards is 0/1'],
    ['0/0', 'there can be 1 to 10000 shards'],
    ['0/10001', 'there can be 1 to 10000 shards'],
    ['', 'write i/n'],
    ['3', 'write i/n'],
    ['-1/8', 'write i/n'],
    ['1.5/8', 'write i/n'],
    ['/8', 'write i/n'],
    ['1/8/2', 'write i/n'],
  ])('%s is none', (text, reason) => {
    expect(parseShard(text)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

describe('the division', () => {
  // Other numbers here would move websites from shard to shard between two releases.
  test.each([
    ['example.com', 3, 3, 19],
    ['shop.example.com', 5, 5, 13],
    ['xn--mnchen-3ya.example', 7, 15, 19],
    ['a.example', 6, 14, 18],
    ['b.example', 4, 12, 64],
    ['localhost', 2, 10, 54],
  ])('%s is always in the same shard', (domain, of8, of16, of100) => {
    expect([8, 16, 100].map((count) => indexOf(domain, count))).toEqual([of8, of16, of100]);
  });

  test('a domain and its www variants are together', () => {
    for (const domain of times(200, (index) => domainOf(index))) {
      const twins = [domain, `www.${domain}`, `www.www.${domain}`];
      expect(new Set(twins.map((twin) => indexOf(twin, 16))).size).toBe(1);
    }
  });

  test.each([2, 3, 8, 16, 64])('%i shards of numbered domains are of about one size', (count) => {
    const sizes = times(count, () => 0);
    for (const domain of times(20_000, (index) => domainOf(index))) {
      const index = indexOf(domain, count);
      sizes[index] = (sizes[index] ?? 0) + 1;
    }
    const mean = 20_000 / count;
    // Five standard deviations of a fair division.
    for (const size of sizes) expect(Math.abs(size - mean)).toBeLessThan(5 * Math.sqrt(mean));
  });
});

test('which runs may touch the same record', () => {
  const [first, second, other]: Shard[] = [
    { index: 0, count: 8 },
    { index: 1, count: 8 },
    { index: 1, count: 4 },
  ] as const;
  expect(overlap(first, second)).toBe(false);
  expect(overlap(first, first)).toBe(true);
  expect(overlap(first, other)).toBe(true);
  expect(overlap(first, undefined)).toBe(true);
  expect(overlap(undefined, second)).toBe(true);
  expect(overlap(undefined, undefined)).toBe(true);
  expect(isSameShard(first, { index: 0, count: 8 })).toBe(true);
  expect(isSameShard(undefined, undefined)).toBe(true);
  expect(isSameShard(first, second)).toBe(false);
  expect(isSameShard(second, other)).toBe(false);
  expect(isSameShard(first, undefined)).toBe(false);
});
