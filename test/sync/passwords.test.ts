import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/load.ts';
import { createFingerprints } from '../../src/config/secrets/fingerprint.ts';
import { LOCK_FILE } from '../../src/config/secrets/lock-file.ts';
import { createSecretResolver } from '../../src/config/secrets/resolve.ts';
import type { Change } from '../../src/model/change.ts';
import { Secret } from '../../src/model/secret.ts';
import type { DesiredWebsite, WwwRule } from '../../src/model/website.ts';
import {
  comparePasswords,
  putInDoubt,
  sentSecrets,
  unknownPasswords,
  updateLockFile,
  withFingerprints,
} from '../../src/sync/passwords.ts';
import { testFolder } from '../support/cli.ts';
import { type Entries, lockText, readLock } from '../support/lock-file.ts';
import { absent, planFor, shown, wanted } from '../support/plans.ts';

const fingerprints = createFingerprints('the-key');
const entryOf = (domain: string, password: string) => ({
  key: fingerprints.keyId,
  fingerprint: fingerprints.of(domain, new Secret(password)),
});
const password = { env: 'P' };

/** Creates, updates and deletes; `b` is sent its password beside another change, `c` is rid of its own. */
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

let root: string;
beforeEach(async () => {
  root = await testFolder();
});

const secretsOf = (env: Record<string, string>) =>
  createSecretResolver({ env, folder: root, allowPaths: [] });

describe('websites.lock, before a run', () => {
  const declared = [
    wanted('same.com', { password }),
    wanted('changed.com', { password }),
    wanted('unknown.com', { password }),
    wanted('other-key.com', { password }),
    wanted('not-here.com', { password: { env: 'NOT_HERE' } }),
    wanted('removed.com', { password: null }),
    wanted('none.com'),
  ];
  const known = {
    'same.com': entryOf('same.com', 'new'),
    'changed.com': entryOf('changed.com', 'old'),
    'other-key.com': { ...entryOf('other-key.com', 'old'), key: 'another' },
    'not-here.com': entryOf('not-here.com', 'old'),
    'removed.com': entryOf('removed.com', 'old'),
    'none.com': entryOf('none.com', 'old'),
  };

  async function judged(entries: Entries | undefined, websites: readonly DesiredWebsite[] = declared) {
    root = await testFolder(entries && { [LOCK_FILE]: lockText(entries) });
    const desired = { websites, ignore: [], protected: [] };
    const secrets = secretsOf({ P: 'new' });
    const config = { root, desired, secrets, pins: {} } as unknown as Config;
    const { changed, unchecked } = await comparePasswords(config, fingerprints);
    return {
      changed: [...changed],
      unchecked: [...unchecked],
      unknown: await unknownPasswords(config, fingerprints),
    };
  }

  test('tells which declared passwords have changed or cannot be checked, and how many it knows nothing of', async () => {
    const unchecked = ['other-key.com', 'not-here.com'];
    expect(await judged(known)).toEqual({ changed: ['changed.com'], unchecked, unknown: 2 });
  });

  test('tells of none that it knows nothing of', async () => {
    expect(await judged(undefined)).toEqual({ changed: [], unchecked: [], unknown: 5 });
    expect(await judged(known, [wanted('none.com')])).toEqual({
      changed: [],
      unchecked: [],
      unknown: 0,
    });
  });
});

describe('websites.lock, after a run', () => {
  async function updated(before: Entries | undefined, env: Record<string, string>, begin = false) {
    if (before !== undefined) root = await testFolder({ [LOCK_FILE]: lockText(before) });
    const config = { root, secrets: secretsOf(env) };
    const hasChanged = await updateLockFile({ done: changes }, config, fingerprints, begin);
    return { hasChanged, entries: await readLock(root) };
  }

  const sent = { 'a.com': entryOf('a.com', 'new'), 'b.com': entryOf('b.com', 'new') };
  const other = { 'z.com': entryOf('z.com', 'kept') };

  test('is not begun by itself', async () => {
    expect(await updated(undefined, { P: 'new' })).toEqual({ hasChanged: false, entries: undefined });
    await expect(stat(join(root, LOCK_FILE))).rejects.toThrow('ENOENT');
  });

  test('is left alone, without a lock, where no password was sent', async () => {
    root = await testFolder({ [LOCK_FILE]: lockText(other) });
    const create = planFor({ desired: { websites: [wanted('a.com')] } }).changes;
    const hasChanged = await updateLockFile(
      { done: create },
      { root, secrets: secretsOf({}) },
      fingerprints,
      true,
    );
    expect([hasChanged, await readdir(root)]).toEqual([false, [LOCK_FILE]]);
  });

  test('is begun where that is asked for, and holds no password', async () => {
    expect(await updated(undefined, { P: 'new' }, true)).toEqual({ hasChanged: true, entries: sent });
    expect(await readFile(join(root, LOCK_FILE), 'utf8')).not.toContain('new');
  });

  test('knows what was sent, and no more what was removed or deleted; the rest stays', async () => {
    const before = {
      ...other,
      'a.com': entryOf('a.com', 'old'),
      'c.com': entryOf('c.com', 'old'),
      'd.com': entryOf('d.com', 'old'),
      'e.com': entryOf('e.com', 'old'),
    };
    expect(await updated(before, { P: 'new' })).toEqual({
      hasChanged: true,
      entries: { ...other, ...sent, 'e.com': entryOf('e.com', 'old') },
    });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'knows a website that is called %s, and nothing of one before it is sent a password',
    async (domain) => {
      root = await testFolder({ [LOCK_FILE]: lockText(other) });
      const websites = [wanted(domain, { password })];
      const desired = { websites, ignore: [], protected: [] };
      const configOf = (P: string) =>
        ({ root, desired, secrets: secretsOf({ P }), pins: {} }) as unknown as Config;
      expect(await unknownPasswords(configOf('new'), fingerprints)).toBe(1);
      const done = planFor({ desired: { websites } }).changes;
      expect(await updateLockFile({ done }, configOf('new'), fingerprints, false)).toBe(true);
      expect(Object.entries((await readLock(root)) ?? {})).toContainEqual([domain, entryOf(domain, 'new')]);
      expect(await unknownPasswords(configOf('new'), fingerprints)).toBe(0);
      const judged = async (P: string) => [...(await comparePasswords(configOf(P), fingerprints)).changed];
      expect([await judged('new'), await judged('changed')]).toEqual([[], [domain]]);
    },
  );

  test('of runs that end at one moment keeps what each has sent', async () => {
    root = await testFolder({ [LOCK_FILE]: lockText(other) });
    const config = { root, secrets: secretsOf({ P: 'new' }) };
    const runs = changes.map((change) => [change]);
    await Promise.all(runs.map((done) => updateLockFile({ done }, config, fingerprints, false)));
    expect(await readLock(root)).toEqual({ ...other, ...sent });
    expect(await readdir(root)).toEqual(['.websites', LOCK_FILE]);
    expect(await readdir(join(root, '.websites', 'locks'))).toEqual([]);
  });

  test('has not changed where it knew all that', async () => {
    const before = { ...other, ...sent };
    expect(await updated(before, { P: 'new' })).toEqual({ hasChanged: false, entries: before });
  });

  test('says so where it cannot be written', async () => {
    await symlink(join(root, 'not there', LOCK_FILE), join(root, LOCK_FILE));
    const writing = updateLockFile(
      { done: changes },
      { root, secrets: secretsOf({ P: 'new' }) },
      fingerprints,
      true,
    );
    await expect(writing).rejects.toMatchObject({
      code: 'file-failed',
      remedy: expect.stringContaining('an apply with "--track-passwords --resend-passwords"'),
    });
  });

  test('knows nothing of a password that cannot be had any more', async () => {
    expect(await updated({ ...other, ...sent }, {})).toEqual({ hasChanged: true, entries: other });
  });
});

describe('websites.lock, while a run is under way', () => {
  const old = { 'a.com': entryOf('a.com', 'old'), 'c.com': entryOf('c.com', 'old') };
  const other = { 'z.com': entryOf('z.com', 'kept') };
  const inDoubt = { key: fingerprints.keyId, fingerprint: 'in doubt' };

  async function begun() {
    root = await testFolder({ [LOCK_FILE]: lockText({ ...old, ...other }) });
    return { before: await putInDoubt(changes, root, fingerprints), secrets: secretsOf({ P: 'new' }) };
  }

  test('calls what is about to be sent in doubt, which counts as changed, whatever the files say', async () => {
    await begun();
    expect(await readLock(root)).toEqual({
      ...other,
      'a.com': inDoubt,
      'b.com': inDoubt,
      'c.com': inDoubt,
    });
    const desired = { websites: [wanted('a.com', { password })], ignore: [], protected: [] };
    for (const P of ['old', 'new']) {
      const config = { root, desired, secrets: secretsOf({ P }), pins: {} } as unknown as Config;
      expect([...(await comparePasswords(config, fingerprints)).changed]).toEqual(['a.com']);
    }
  });

  test('is as it was in the end where nothing was sent', async () => {
    const { before, secrets } = await begun();
    expect(await updateLockFile({ done: [], before }, { root, secrets }, fingerprints, false)).toBe(false);
    expect(await readLock(root)).toEqual({ ...old, ...other });
  });

  test('leaves what may have been sent in doubt', async () => {
    const { before, secrets } = await begun();
    const sent = { done: changes.slice(0, 1), before, unknown: new Set(['b.com']) };
    expect(sent.done.map(({ domain }) => domain)).toEqual(['a.com']);
    expect(await updateLockFile(sent, { root, secrets }, fingerprints, false)).toBe(true);
    expect(await readLock(root)).toEqual({
      ...old,
      ...other,
      'a.com': entryOf('a.com', 'new'),
      'b.com': inDoubt,
    });
  });

  test('takes what the run that it goes on with had sent from its plan', async () => {
    const { secrets } = await begun();
    const earlier = await withFingerprints(changes, secrets, fingerprints);
    const where = { root, secrets: secretsOf({ P: 'newer' }) };
    await updateLockFile({ done: [], earlier }, where, fingerprints, false);
    expect(await readLock(root)).toEqual({
      ...other,
      'a.com': entryOf('a.com', 'new'),
      'b.com': entryOf('b.com', 'new'),
    });
  });

  test('leaves in doubt what that plan does not tell', async () => {
    const { secrets } = await begun();
    await updateLockFile({ done: [], earlier: changes }, { root, secrets }, fingerprints, false);
    expect(await readLock(root)).toEqual({ ...other, 'a.com': inDoubt, 'b.com': inDoubt });
  });

  test('is not begun', async () => {
    expect(await putInDoubt(changes, root, fingerprints)).toEqual(new Map());
    expect(await readdir(root)).toEqual([]);
  });

  test('that cannot be written is no reason to stop', async () => {
    root = await testFolder({ [LOCK_FILE]: lockText(old), '.websites': 'a file, where locks would be' });
    expect(await putInDoubt(changes, root, fingerprints)).toEqual(new Map());
  });
});

describe('websites.lock, where a website goes by its www variant too', () => {
  const { changes: renamed } = planFor({
    desired: { websites: [wanted('www.a.com', { password })] },
    current: { websites: [shown('a.com', 1, {}, { passwordSet: false })] },
    options: { www: 'same' },
  });
  const old = { 'a.com': entryOf('a.com', 'old'), 'z.com': entryOf('z.com', 'kept') };
  const sent = { 'www.a.com': entryOf('www.a.com', 'new'), 'z.com': entryOf('z.com', 'kept') };
  const inDoubt = { key: fingerprints.keyId, fingerprint: 'in doubt' };

  async function left(done: readonly Change[], unknown: readonly string[], www: WwwRule) {
    root = await testFolder({ [LOCK_FILE]: lockText(old) });
    const before = await putInDoubt(renamed, root, fingerprints, www);
    const where = { root, secrets: secretsOf({ P: 'new' }) };
    await updateLockFile({ done, before, unknown: new Set(unknown), www }, where, fingerprints, false);
    return readLock(root);
  }

  test('has one entry of it, by the name that a password was sent by last', async () => {
    expect(await left(renamed, [], 'same')).toEqual(sent);
    expect(await left(renamed, [], 'distinct')).toEqual({ ...old, ...sent });
  });

  test.each([
    ['old', 'same', [], 0],
    ['new', 'same', ['www.a.com'], 0],
    ['new', 'distinct', [], 1],
  ] as const)(
    'knows it by either name: whether it is %s, where the two are %s',
    async (P, www, changed, unknown) => {
      root = await testFolder({ [LOCK_FILE]: lockText(old) });
      const desired = { websites: [wanted('www.a.com', { password })], ignore: [], protected: [] };
      const config = { root, desired, secrets: secretsOf({ P }), pins: { www } } as unknown as Config;
      expect([...(await comparePasswords(config, fingerprints)).changed]).toEqual(changed);
      expect(await unknownPasswords(config, fingerprints)).toBe(unknown);
    },
  );

  test('keeps the entry of one that stays where a record by the other name is deleted', async () => {
    const { changes } = planFor({
      desired: { websites: [wanted('a.com', { password })] },
      current: { websites: [shown('a.com', 1, {}, { passwordSet: true }), shown('www.a.com', 2)] },
      options: { www: 'same', prune: true },
    });
    expect(changes.map(({ action, domain }) => `${action} ${domain}`)).toEqual(['delete www.a.com']);
    expect(await left(changes, [], 'same')).toEqual(old);
  });

  test('calls both in doubt for as long as it may have been sent, and is as it was where it was not', async () => {
    const doubtful = { 'a.com': inDoubt, 'www.a.com': inDoubt, 'z.com': old['z.com'] };
    expect(await left([], ['www.a.com'], 'same')).toEqual(doubtful);
    expect(await left([], [], 'same')).toEqual(old);
  });
});

describe('a plan that is saved', () => {
  test('has the fingerprint of each password that it sends, beside other changes too', async () => {
    const marked = await withFingerprints(changes, secretsOf({ P: 'new' }), fingerprints);
    expect(marked.map(({ action, domain }) => `${action} ${domain}`)).toEqual(
      changes.map(({ action, domain }) => `${action} ${domain}`),
    );
    expect([...sentSecrets(marked)]).toEqual([
      { domain: 'a.com', sensitive: true, ref: password, fingerprint: entryOf('a.com', 'new').fingerprint },
      {
        domain: 'b.com',
        sensitive: true,
        ref: password,
        set: true,
        fingerprint: entryOf('b.com', 'new').fingerprint,
      },
      { domain: 'c.com', sensitive: true, ref: null },
    ]);
    expect(JSON.stringify(marked)).not.toContain('new');
  });

  test('is as it was where the passwords cannot be had', async () => {
    const marked: readonly Change[] = await withFingerprints(changes, secretsOf({}), fingerprints);
    expect(marked).toEqual(changes);
  });
});
