import { applyPatch, parsePatch } from 'diff';
import { expect, test } from 'vitest';
import { planDiff } from '../../../src/report/plan-diff.ts';
import { given, planFor, shown, wanted } from '../../support/plans.ts';
import { NOTHING, THREE } from '../situations.ts';

const PLAIN = { color: false, width: 100 };

test('the diff of a plan has one hunk for each changed record', () => {
  const diff = planDiff(THREE, PLAIN);
  expect(diff.split('\n').slice(2).join('\n')).toBe(`@@ -0,0 +1,5 @@
+- domain: shop.example.com
+  privacy: password
+  password: (sensitive)
+  exclude_ips:
+    - 192.0.2.0/24
@@ -1,5 +6,5 @@
 - domain: blog.example.com
-  privacy: private
+  privacy: public
   email: true
   exclude_ips:
-    - 192.0.2.1
+    - 198.51.100.0/24
@@ -6,2 +10,0 @@
-- domain: old.example.com
-  privacy: public
`);
  const [patch] = parsePatch(diff);
  expect(patch?.hunks).toHaveLength(3);
});

test('the diff of a plan without changes is empty', () => {
  expect(planDiff(NOTHING, PLAIN)).toBe('');
});

test('the diff of a plan turns current values into desired values', () => {
  const plan = planFor(
    given(
      [
        wanted('a.example', { exclude_params: ['b', 'a', 'new'], favorited_at: null }),
        wanted('b.example', { exclude_params: [] }),
      ],
      [
        shown('a.example', 1, { exclude_params: ['a', 'b'], favorited_at: '2026-01-31T09:00:00Z' }),
        shown('b.example', 2, { exclude_params: ['a'] }),
      ],
    ),
  );
  const before = `- domain: a.example
  exclude_params:
    - a
    - b
  favorited_at: 2026-01-31T09:00:00Z
- domain: b.example
  exclude_params:
    - a
`;
  expect(applyPatch(before, planDiff(plan, PLAIN))).toBe(`- domain: a.example
  exclude_params:
    - a
    - b
    - new
  favorite: false
- domain: b.example
  exclude_params: []
`);
});

test('the diff of a plan shows a resent password as changed and a removed one as deleted', () => {
  const own = { privacy: 2, password: { env: 'A' } };
  const lines = (settings: object, passwordSet: boolean, resend: boolean) =>
    planDiff(
      planFor(
        given([wanted('a.example', settings)], [{ ...shown('a.example', 1, { privacy: 2 }), passwordSet }], {
          resend_passwords: resend,
        }),
      ),
      PLAIN,
    ).split('\n');
  expect(lines(own, true, true)).toEqual(
    expect.arrayContaining(['-  password: (sensitive)', '+  password: (sensitive)']),
  );
  const removed = lines({ password: null }, true, false);
  expect(removed).toContain('-  password: (sensitive)');
  expect(removed).not.toContain('+  password: (sensitive)');
});
