import { describe, expect, it } from 'vitest';
import { createValues, resolveSecrets } from '../../src/apply/values.ts';
import type { Update } from '../../src/core/change.ts';
import { Secret, type SecretRef } from '../../src/core/secret.ts';
import { planFor, shown, wanted } from '../support/plans.ts';

const PLANNED_AT = '2026-03-01T00:00:00Z';
const secretOf = (ref: SecretRef): Secret => new Secret(`of ${JSON.stringify(ref)}`);

describe('the secrets of a plan', () => {
  it('are those that its creates and updates send, be it alongside, each asked for once', async () => {
    const { changes } = planFor({
      desired: {
        websites: [
          wanted('a.com', { privacy: 2, password: { env: 'CREATED' } }),
          wanted('b.com', { privacy: 2, password: { env: 'CREATED' } }),
          wanted('c.com', { password: { env: 'UPDATED' } }),
          wanted('d.com', { email: true, password: { env: 'ALONGSIDE' } }),
          wanted('e.com', { password: null }),
          wanted('f.com', {}, 6, { state: 'absent' }),
        ],
      },
      current: {
        websites: [
          shown('c.com', 3, {}, { passwordSet: false }),
          shown('d.com', 4, { email: false }, { passwordSet: true }),
          shown('e.com', 5, {}, { passwordSet: true }),
          shown('f.com', 6),
        ],
      },
    });
    expect(changes).toHaveLength(6);
    const asked: SecretRef[] = [];
    await resolveSecrets(changes, (ref) => {
      asked.push(ref);
      return Promise.resolve(secretOf(ref));
    });
    expect(asked).toEqual([{ env: 'CREATED' }, { env: 'UPDATED' }, { env: 'ALONGSIDE' }]);
  });
});

describe('what updates send that share a part', () => {
  type Sent = Pick<Update, 'fields' | 'alongside'>;
  const email: Sent['fields'] = { email: { before: false, after: true } };
  const bots: Sent['fields'] = { exclude_bots: { before: false, after: true } };
  const none = {};
  const [open, closed] = [{ privacy: 0 }, { privacy: 1 }];
  const all: readonly (readonly [Sent, object, object])[] = [
    [{ fields: email, alongside: none }, open, { email: true, privacy: 0 }],
    [{ fields: email, alongside: none }, closed, { email: true, privacy: 1 }],
    [{ fields: bots, alongside: none }, open, { exclude_bots: true, privacy: 0 }],
    [{ fields: email, alongside: bots }, open, { email: true, exclude_bots: true, privacy: 0 }],
  ];

  it.each(['full', 'changed'] as const)('is that of each (%s)', (rule) => {
    const values = createValues(new Map(), rule, PLANNED_AT);
    for (const [change, base, sent] of [...all, ...all]) {
      const { privacy: _, ...changed } = sent as { privacy: number };
      expect(values.ofUpdate(change, base)).toEqual(rule === 'full' ? sent : changed);
    }
  });
});
