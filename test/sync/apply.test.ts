/** What a run comes to. */
import { expect, test } from 'vitest';
import type { Applied } from '../../src/apply/apply.ts';
import { createLimiter } from '../../src/client/rate-limit/limiter.ts';
import { createFingerprints } from '../../src/config/secrets/fingerprint.ts';
import { LOCK_FILE } from '../../src/config/secrets/lock-file.ts';
import { createSecretResolver, type SecretResolver } from '../../src/config/secrets/resolve.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import { Secret } from '../../src/model/secret.ts';
import { doubtPasswords, exitOf, nothingToDo } from '../../src/sync/apply.ts';
import type { Session } from '../../src/sync/session.ts';
import { NOTHING_KNOWN } from '../../src/update/knowledge.ts';
import { systemClock } from '../../src/util/node/system-clock.ts';
import { testFolder } from '../support/cli.ts';
import { lockText, readLock } from '../support/lock-file.ts';
import { planFor, wanted } from '../support/plans.ts';

type Carried = Parameters<typeof exitOf>[0];

const STALE = {
  action: 'delete',
  domain: 'a.example',
  id: '1',
  message: 'a.example no longer exists.',
} as const;
const lockFailure = new WebsitesError('file-failed', 'websites.lock cannot be written.');

/** What became of a run that did all that it was to, but for `result` and `more`. */
function carried(result: object, more: Partial<Carried & Applied> = {}): Carried & Applied {
  const done = {
    ...nothingToDo(planFor({}), { limiter: createLimiter(1, systemClock).state, where: NOT_SAID }),
    run: 'a run',
    ...result,
  };
  return {
    result: done,
    keyRefused: false,
    stale: [],
    done: [],
    earlier: [],
    knowledge: NOTHING_KNOWN,
    ...more,
  };
}

const summary = (failed: number, not_attempted: number): object => ({
  summary: { created: 1, updated: 0, deleted: 0, unchanged: 0, failed, not_attempted },
});

test.each<[string, number, Carried]>([
  ['that did all of it', 0, carried({})],
  ['of a plan without changes', 0, carried({ run: null })],
  ['with a failure', 4, carried(summary(1, 0))],
  ['that did not attempt all of it', 4, carried(summary(0, 1))],
  ['that did not converge', 4, carried({ converged: false })],
  ['without a proof', 4, carried({ converged: null })],
  [
    'that sent nothing, for what is stale',
    6,
    carried({ ...summary(0, 2), run: null, converged: null }, { stale: [STALE] }),
  ],
  ['that left out what is stale', 6, carried(summary(0, 1), { stale: [STALE] })],
  ['that left out more than what is stale', 4, carried(summary(0, 2), { stale: [STALE] })],
  [
    'that left out what is stale, without a proof',
    4,
    carried({ ...summary(0, 1), converged: null }, { stale: [STALE] }),
  ],
  ['that failed in part for the key', 3, carried(summary(1, 1), { keyRefused: true })],
  ['that was interrupted', 130, carried({ ...summary(1, 1), interrupted: true }, { keyRefused: true })],
  [
    'before whose first change it was interrupted',
    130,
    carried({ ...summary(0, 1), run: null, interrupted: true }),
  ],
  ['whose websites.lock was not written', 1, carried(summary(1, 0), { lockFailure })],
])('a run %s ends with %i', (_what, exit, run) => {
  expect(exitOf(run)).toBe(exit);
});

type Run = (secrets: SecretResolver) => Promise<Applied>;

/** Has `run` carry out the one change of a password; tells how that ends, and what websites.lock has of it then. */
async function carryOutBy(run: Run, env = { P: 'new' }) {
  const fingerprints = createFingerprints('the-key');
  const entry = { key: fingerprints.keyId, fingerprint: 'old' };
  const root = await testFolder({ [LOCK_FILE]: lockText({ 'a.com': entry }) });
  const session = {
    plan: planFor({ desired: { websites: [wanted('a.com', { password: { env: 'P' } })] } }),
    secrets: createSecretResolver({ env, folder: root, allowPaths: [] }),
    connection: { fingerprints },
    root,
  } as unknown as Session;
  const { secrets, keep, giveBack } = await doubtPasswords(session);
  const ended = await run(secrets).then(
    (applied) => keep(applied, false),
    (error: unknown) => giveBack(error).then(() => error),
  );
  return { ended, fingerprint: (await readLock(root))?.['a.com']?.fingerprint };
}

test.each<[string, Error, string]>([
  ['gives websites.lock back where it refuses to send anything', lockFailure, 'old'],
  ['leaves passwords in doubt where it ends by a bug', new Error('a bug'), 'in doubt'],
])('a run %s', async (_what, error, fingerprint) => {
  expect(await carryOutBy(() => Promise.reject(error))).toEqual({ ended: error, fingerprint });
});

test.each<['failed' | 'unknown', string]>([
  ['failed', 'old'],
  ['unknown', 'in doubt'],
])('of a change whose fate is %s the password in websites.lock is %s', async (fate, fingerprint) => {
  const failure = { action: 'create', domain: 'a.com', fate, message: 'No.', attempts: 1 };
  const applied = carried({ ...summary(1, 0), failures: [failure] }) as Applied;
  expect(await carryOutBy(async () => applied)).toMatchObject({ fingerprint });
});

test('what websites.lock has of a password is what was sent, whatever it has become meanwhile', async () => {
  const env = { P: 'sent' };
  const { changes } = planFor({ desired: { websites: [wanted('a.com', { password: { env: 'P' } })] } });
  const { fingerprint } = await carryOutBy(async (secrets) => {
    await secrets.resolve({ env: 'P' });
    env.P = 'another';
    return carried({}, { done: changes }) as Applied;
  }, env);
  expect(fingerprint).toBe(createFingerprints('the-key').of('a.com', new Secret('sent')));
});
