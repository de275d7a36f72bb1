import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createSecretResolver } from '../../src/config/secrets/resolve.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';
import type { Desired } from '../../src/model/website.ts';
import { createFingerprint, withFingerprints } from '../../src/sync/fingerprints.ts';
import { checkResumable } from '../../src/sync/saved-plan.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { testFolder } from '../support/cli.ts';
import { planFor, shown, wanted } from '../support/plans.ts';

const fingerprint = createFingerprint('the-key');
const cwd = '/a/folder';
/** Files that say nothing. */
const NONE = { files: [], cwd, folder: cwd, desired: { websites: [], ignore: [], protected: [] } };
const secretsOf = (env: Record<string, string>) => createSecretResolver({ env, folder: cwd, allowPaths: [] });

/** The plan of a run that was begun with the password `begun`, checked where it is what `env` says. */
async function check(env: Record<string, string>): Promise<void> {
  const made = planFor({ desired: { websites: [wanted('a.com', { password: { env: 'P' } })] } });
  const changes = await withFingerprints(made.changes, secretsOf({ P: 'begun' }), fingerprint);
  const plan = { ...made, changes, config: { ...made.config, files: [] } };
  await checkResumable(plan, { fingerprint, where: NOT_SAID }, { ...NONE, secrets: secretsOf(env) });
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

test('a run is not resumed where there are new files among those of its plan, and is where there are none', async () => {
  const folder = await testFolder({ 'a.yaml': 'websites: []' });
  const files = [{ path: 'a.yaml', digest: sha256('websites: []') }];
  const plan = { ...planFor({}), config: { files, digest: '', open: ['*.yaml', 'gone'] } };
  const given = { ...NONE, cwd: folder, folder, secrets: secretsOf({}) };
  const check = () => checkResumable(plan, { fingerprint, where: NOT_SAID }, given);
  await expect(check()).resolves.toBeUndefined();
  await writeFile(join(folder, 'b.yaml'), 'websites: []');
  await expect(check()).rejects.toMatchObject({
    code: 'plan-stale',
    message: 'b.yaml is new since the plan was made.',
    remedy: expect.stringContaining('plans again'),
  });
  // The files of another place are not those that the plan was made from.
  await rm(join(folder, 'a.yaml'));
  await expect(check()).resolves.toBeUndefined();
});

test('a run is not resumed with files of which one is gone: it may have been taken back', async () => {
  const folder = await testFolder({ 'a.yaml': 'websites: []' });
  const here = { path: 'a.yaml', digest: sha256('websites: []') };
  const plan = { ...planFor({}), config: { files: [here, { path: 'b.yaml', digest: 'b' }], digest: '' } };
  const check = (files: readonly (typeof here)[]) =>
    checkResumable(
      plan,
      { fingerprint, where: NOT_SAID },
      { ...NONE, cwd: folder, folder, files, secrets: secretsOf({}) },
    );
  await expect(check([here])).rejects.toMatchObject({
    code: 'plan-stale',
    message: 'b.yaml was deleted after the plan was made.',
  });
  await expect(check([{ path: 'other.yaml', digest: 'c' }])).resolves.toBeUndefined();
});

test.each([
  ['websites.yaml', '.', '../websites.yaml', 'below'],
  ['../websites.yaml', 'below', 'websites.yaml', '.'],
  ['sites/own.yaml', '.', 'own.yaml', 'sites'],
  ['own.yaml', 'sites', '../sites/own.yaml', 'below'],
  ['../sites/own.yaml', 'below', 'sites/own.yaml', '.'],
])('a run of %s in %s is resumed with %s in %s, unless that has changed', async (path, _, given, there) => {
  const top = await testFolder({ 'websites.yaml': '[]', 'below/x': '', 'sites/own.yaml': '[]' });
  const digest = sha256('[]');
  const plan = { ...planFor({}), config: { files: [{ path, digest }], digest: '' } };
  const file = join(top, there, given);
  const check = (found: string) =>
    checkResumable(
      plan,
      { fingerprint, where: NOT_SAID },
      {
        ...NONE,
        cwd: join(top, there),
        folder: dirname(file),
        files: [{ path: given, digest: found }],
        secrets: secretsOf({}),
      },
    );
  await expect(check(digest)).resolves.toBeUndefined();
  await writeFile(file, '[a.com]');
  await expect(check(sha256('[a.com]'))).rejects.toMatchObject({
    code: 'plan-stale',
    message: `${path} has changed since the plan was made.`,
  });
});

test.each<[string, readonly [string, string][], string | undefined]>([
  ['the same stream', [['-', 'a']], undefined],
  ['the same stream by another name', [['/dev/fd/63', 'a']], undefined],
  ['another stream', [['-', 'b']], '-'],
  ['another stream by another name', [['/dev/fd/63', 'b']], '/dev/fd/63'],
  [
    'one more file',
    [
      ['-', 'a'],
      ['more.yaml', 'b'],
    ],
    'more.yaml',
  ],
  ['a file that only names the service', [['other.yaml', 'b']], undefined],
])('a run of a stream is resumed with what it was made from: %s', async (_, given, other) => {
  const files = given.map(([path, digest]) => ({ path, digest }));
  const plan = { ...planFor({}), config: { files: [{ path: '-', digest: 'a' }], digest: '' } };
  const checked = checkResumable(
    plan,
    { fingerprint, where: NOT_SAID },
    { ...NONE, files, secrets: secretsOf({}) },
  );
  if (other === undefined) await expect(checked).resolves.toBeUndefined();
  else
    await expect(checked).rejects.toMatchObject({
      code: 'plan-stale',
      message: `The contents of "${other}" differ from the file that the plan was made from.`,
    });
});

test.each<[string, Partial<Desired>]>([
  ['list', { websites: [wanted('other.com')] }],
  ['protect', { protected: ['other.*'] }],
  ['ignore', { ignore: ['other.com'] }],
])(
  'a run is not resumed that deletes what the same files %s by now, as their variables make them',
  async (_, said) => {
    const made = planFor({ current: { websites: [shown('other.com', 1)] }, options: { prune: true } });
    const plan = { ...made, config: { files: [], digest: '' } };
    const check = (desired: Partial<Desired>) =>
      checkResumable(
        plan,
        { fingerprint, where: NOT_SAID },
        { ...NONE, desired: { ...NONE.desired, ...desired }, secrets: secretsOf({}) },
      );
    await expect(check({ websites: [wanted('a.com')] })).resolves.toBeUndefined();
    await expect(check(said)).rejects.toMatchObject({
      code: 'plan-stale',
      message: expect.stringContaining('other.com'),
      remedy: expect.stringContaining('plans again'),
    });
  },
);
