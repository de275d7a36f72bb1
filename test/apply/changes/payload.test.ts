import { describe, expect, it } from 'vitest';
import { createValues, resolveSecrets } from '../../../src/apply/changes/payload.ts';
import type { Update } from '../../../src/model/change.ts';
import { Secret, type SecretRef } from '../../../src/model/secret.ts';
import { planFor, shown, wanted } from '../../support/plans.ts';

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

describe('what an update sends', () => {
  const values = createValues(new Map(), PLANNED_AT);
  const update = (more: Partial<Update>): Update =>
    ({ fields: {}, alongside: {}, before: {}, ...more }) as Update;

  it.each<[string, Partial<Update>, readonly string[], readonly string[], object, object]>([
    [
      'the changes',
      { fields: { email: { before: false, after: true } } },
      ['email'],
      [],
      {},
      { email: true },
    ],
    [
      'a cleared list',
      { fields: { exclude_ips: { before: ['a'], after: [] } } },
      ['exclude_ips'],
      [],
      {},
      { exclude_ips: [] },
    ],
    ['a value as read', {}, [], ['privacy'], { privacy: 2 }, { privacy: 2 }],
    ['nothing that is not shown', {}, [], ['email'], {}, {}],
    [
      'what is declared and shown',
      { before: { email: true } },
      ['email'],
      [],
      { email: true },
      { email: true },
    ],
    [
      'what is declared, though others changed it',
      { before: { email: true } },
      ['email'],
      [],
      { email: false },
      { email: true },
    ],
    [
      'a favorite with the time that it has',
      { fields: { favorited_at: { before: null, after: true } } },
      ['favorited_at'],
      [],
      { favorited_at: '2026-01-01T00:00:00Z' },
      { favorited_at: '2026-01-01T00:00:00Z' },
    ],
    [
      'a favorite with the time of the plan',
      { fields: { favorited_at: { before: null, after: true } } },
      ['favorited_at'],
      [],
      { favorited_at: null },
      { favorited_at: PLANNED_AT },
    ],
  ])('is %s', (_, change, declared, asRead, shown, sent) => {
    const form = { declared, asRead } as Parameters<typeof values.ofUpdate>[1];
    expect(values.ofUpdate(update(change), form, shown)).toEqual(sent);
    expect(values.ofUpdate(update(change), form, shown)).toEqual(sent);
  });
});
