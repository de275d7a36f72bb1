import { expect, test } from 'vitest';
import { secretsOf } from '../../src/model/change.ts';
import { Secret } from '../../src/model/secret.ts';
import { createFingerprint } from '../../src/sync/keys.ts';
import { withFingerprint } from '../../src/sync/plan.ts';
import { absent, planFor, shown, wanted } from '../support/plans.ts';

const fingerprint = createFingerprint('the-key');
const password = { env: 'P' };

/** Creates, updates and deletes. `b` gets a password with another change, and `c` loses its password. */
const { changes } = planFor({
  desired: {
    websites: [
      wanted('a.com', { password }),
      wanted('b.com', { email: true, password }),
      wanted('c.com', { password: null }),
      wanted('e.com', { email: true }),
      absent('d.com'),
    ],
  },
  current: {
    websites: [
      shown('b.com', 2, { email: false }, { passwordSet: true }),
      shown('c.com', 3, {}, { passwordSet: true }),
      shown('d.com', 4),
      shown('e.com', 5, { email: false }),
    ],
  },
});

const marks = (password: string | undefined) => {
  const resolve = async () => {
    if (password === undefined) throw new Error('The password is not set.');
    return new Secret(password);
  };
  return Promise.all(changes.map((change) => withFingerprint(change, resolve, fingerprint)));
};

test('a plan has the fingerprint of each password that it sends', async () => {
  const marked = await marks('new');
  expect(marked.map(({ action, domain }) => `${action} ${domain}`)).toEqual(
    changes.map(({ action, domain }) => `${action} ${domain}`),
  );
  const of = (domain: string) => fingerprint(domain, new Secret('new'));
  expect([...secretsOf(marked)]).toEqual([
    { domain: 'a.com', sensitive: true, ref: password, fingerprint: of('a.com') },
    { domain: 'b.com', sensitive: true, ref: password, set: true, fingerprint: of('b.com') },
    { domain: 'c.com', sensitive: true, ref: null },
  ]);
  expect(JSON.stringify(marked)).not.toContain('new');
});

test('a plan has no fingerprint of a password that is not available', async () => {
  expect(await marks(undefined)).toEqual(changes);
});

test('the fingerprint of a password depends on the key, the domain and the password', () => {
  const of = (key: string, domain: string, text: string) => createFingerprint(key)(domain, new Secret(text));
  const all = [of('k', 'a.com', 'p'), of('l', 'a.com', 'p'), of('k', 'b.com', 'p'), of('k', 'a.com', 'q')];
  expect(new Set(all).size).toBe(4);
  expect(of('k', 'a.com', 'p')).toBe(all[0]);
});
