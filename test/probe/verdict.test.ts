import { expect, test } from 'vitest';
import { type Failure, judge, type Outcome } from '../../src/probe/verdict.ts';

const failed = (...kinds: Failure['kind'][]): Outcome => ({
  kind: 'failed',
  failures: kinds.map((kind) => ({ kind, reason: `it is ${kind}` })),
});

test.each<[Outcome, string]>([
  [{ kind: 'answer', status: 200 }, 'ok'],
  [{ kind: 'answer', status: 304 }, 'ok'],
  [{ kind: 'answer', status: 200, hasText: true, unread: 'damaged' }, 'ok'],
  [{ kind: 'answer', status: 200, hasText: false }, 'no-code'],
  [{ kind: 'answer', status: 200, hasText: false, unread: 'damaged' }, 'no-code'],
  [{ kind: 'answer', status: 200, hasText: false, unread: 'late', isCut: true }, 'no-answer'],
  [{ kind: 'answer', status: 400 }, 'error'],
  [{ kind: 'answer', status: 503, hasText: true }, 'error'],
  [{ kind: 'elsewhere', to: 'b.example' }, 'redirects'],
  [{ kind: 'impossible-redirect', reason: 'more than 5 redirects' }, 'error'],
  [{ kind: 'no-address', reason: 'NXDOMAIN' }, 'no-dns'],
  [{ kind: 'no-resolver', reason: 'SERVFAIL' }, 'no-answer'],
  [{ kind: 'closed-address', address: '10.0.0.1' }, 'blocked'],
  [failed('certificate'), 'error'],
  [failed('refused', 'refused'), 'refused'],
  [failed('refused', 'lost'), 'no-answer'],
  [failed('lost', 'refused'), 'no-answer'],
  [failed('lost', 'lost'), 'no-answer'],
  [failed('blocked', 'blocked'), 'blocked'],
  [failed('lost', 'blocked'), 'blocked'],
])('%j is %s', (outcome, verdict) => {
  const judgment = judge(outcome);
  expect(judgment.verdict).toBe(verdict);
  expect(judgment.reason === '').toBe(verdict === 'ok');
});
