import { expect, test } from 'vitest';
import { createFingerprints } from '../../src/config/fingerprint.ts';
import { createSecretResolver } from '../../src/config/secrets.ts';
import { NOT_SAID } from '../../src/core/next-command.ts';
import { withFingerprints } from '../../src/sync/passwords.ts';
import { checkResumable } from '../../src/sync/saved-plan.ts';
import { planFor, wanted } from '../support/plans.ts';

const fingerprints = createFingerprints('the-key');
const cwd = '/a/folder';
const secretsOf = (env: Record<string, string>) => createSecretResolver({ env, root: cwd, allowPaths: [] });

/** The plan of a run that was begun with the password `begun`, checked where it is what `env` says. */
async function check(env: Record<string, string>): Promise<void> {
  const made = planFor({ desired: { websites: [wanted('a.com', { password: { env: 'P' } })] } });
  const changes = await withFingerprints(made.changes, secretsOf({ P: 'begun' }), fingerprints);
  const plan = { ...made, changes, config: { ...made.config, files: [] } };
  await checkResumable(plan, { fingerprints, where: NOT_SAID }, secretsOf(env), { cwd });
}

test('a run is resumed with the passwords that it was begun with', async () => {
  await expect(check({ P: 'begun' })).resolves.toBeUndefined();
  await expect(check({ P: 'another' })).rejects.toMatchObject({
    code: 'plan-stale',
    message: expect.stringContaining('The secret env:P of a.com'),
  });
});

test('one that is not there may have been sent already, and is no reason not to resume', async () => {
  await expect(check({})).resolves.toBeUndefined();
});
