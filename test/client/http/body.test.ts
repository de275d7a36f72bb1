import { expect, test } from 'vitest';
import { startBody } from '../../../src/client/http/body.ts';
import { Broken } from '../../../src/client/http/network-errors.ts';

const head = (status: number) => ({ status, headers: {} });
const MIB = 1024 * 1024;

test('a response body that arrives byte by byte takes at most twice its size in memory', () => {
  const budget = { takenBytes: 0 };
  const body = startBody(head(200), budget);
  for (let at = 0; at < MIB; at += 1) body.add(Buffer.from('x'));
  expect(body.end()).toEqual(Buffer.alloc(MIB, 'x'));
  expect(budget.takenBytes).toBeLessThanOrEqual(2 * MIB);
  body.release();
  expect(budget.takenBytes).toBe(0);
});

test('response bodies over 64 MiB in total fail until others are done', () => {
  const budget = { takenBytes: 0 };
  const bodies = Array.from({ length: 40 }, () => startBody(head(200), budget));
  const taken = bodies.filter((body) => {
    try {
      return body.add(Buffer.alloc(4 * MIB));
    } catch (error) {
      expect(error).toBeInstanceOf(Broken);
      return false;
    }
  });
  expect(taken).toHaveLength(16);
  for (const body of bodies) body.release();
  expect(budget.takenBytes).toBe(0);
  expect(startBody(head(200), budget).add(Buffer.alloc(4 * MIB))).toBe(true);
});
