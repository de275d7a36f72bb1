import { expect, test } from 'vitest';
import { neededSecrets } from '../../src/model/change.ts';
import { given, planFor, shown, wanted } from '../support/plans.ts';

test('a plan lists each secret that its creates and updates send, and only once', () => {
  const { changes } = planFor(
    given(
      [
        wanted('new.example', { privacy: 2, password: { env: 'NEW' } }),
        wanted('also-new.example', { privacy: 2, password: { env: 'NEW' } }),
        wanted('changed.example', { privacy: 2, email: true, password: { file: 'changed' } }),
        wanted('same.example', { privacy: 2, password: { env: 'SAME' } }),
        wanted('open.example', { password: null }),
      ],
      [
        shown('changed.example', 1, { privacy: 2, email: false }),
        shown('same.example', 2, { privacy: 2 }),
        shown('open.example', 3, { privacy: 2 }),
      ],
    ),
  );
  expect([...neededSecrets(changes)].sort()).toEqual([
    ['env:NEW', { env: 'NEW' }],
    ['file:changed', { file: 'changed' }],
  ]);
});
