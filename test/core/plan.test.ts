import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/core/canonical.ts';
import { planDigest } from '../../src/core/plan.ts';
import { plan } from '../render/arbitrary.ts';

test('the digest is of the canonical JSON of all the rest, whatever changes share', () => {
  fc.assert(
    fc.property(plan, ({ digest: _, ...rest }) => {
      const changes = rest.changes.flatMap((one) => [one, { ...one, domain: 'b.com' }, one]);
      expect(planDigest({ ...rest, changes }, (text) => text)).toBe(canonicalJson({ ...rest, changes }));
    }),
  );
});
