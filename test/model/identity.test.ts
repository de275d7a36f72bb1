import { expect, test } from 'vitest';
import { refuseSharedIds } from '../../src/model/identity.ts';

test('an id that is shown for two websites ends the command, by name', () => {
  expect(() => refuseSharedIds([])).not.toThrow();
  expect(() => refuseSharedIds([{ id: '1', domains: ['a.example', 'b.example'] }])).toThrow(
    expect.objectContaining({
      code: 'id-mismatch',
      message: 'The service shows #1 for a.example and b.example.',
    }),
  );
});
