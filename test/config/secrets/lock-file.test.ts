import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCK_FILE, lockFileText, readLockFile } from '../../../src/config/secrets/lock-file.ts';
import { testFolder } from '../../support/cli.ts';
import { lockText, readLock } from '../../support/lock-file.ts';

test('a file that is not there knows nothing, and an empty one has no entries', async () => {
  expect(await readLock(await testFolder())).toBeUndefined();
  expect(await readLock(await testFolder({ [LOCK_FILE]: '\n' }))).toEqual({});
});

test('a file that cannot be read, or is none of ours, is not taken for one that is not there', async () => {
  const folder = await testFolder();
  await mkdir(join(folder, LOCK_FILE));
  await expect(readLock(folder)).rejects.toMatchObject({ code: 'file-failed' });
  const foreign = await testFolder({ [LOCK_FILE]: '{"passwords":{}}' });
  await expect(readLock(foreign)).rejects.toMatchObject({ code: 'file-failed' });
});

test('a file of another version is not called damaged, and is not to be emptied', async () => {
  const text = lockText({ 'a.example': { key: 'k', fingerprint: 'f' } });
  const folder = await testFolder({ [LOCK_FILE]: text.replace('lock/1', 'lock/2') });
  await expect(readLock(folder)).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining('it is "websites.lock/2", and this program reads websites.lock/1'),
    remedy: 'Use the version that wrote it.',
  });
});

test('what a newer version has added is not to be lost', async () => {
  const text = lockText({ 'a.example': { key: 'k', fingerprint: 'f' } });
  const folder = await testFolder({ [LOCK_FILE]: text.replace('"key"', '"sent_at": "now", "key"') });
  await expect(readLock(folder)).rejects.toMatchObject({
    code: 'file-failed',
    remedy: expect.stringMatching(/^If a newer version wrote it, use that version/),
  });
});

test('a website that a merge has left twice is not taken for what its last line says', async () => {
  const [ours, theirs] = ['1', '2'].map((fingerprint) =>
    lockText({ 'a.example': { key: 'k', fingerprint }, 'b.example': { key: 'k', fingerprint: '3' } }),
  ) as [string, string];
  const line = ours.split('\n').find((one) => one.includes('a.example'));
  const united = await testFolder({ [LOCK_FILE]: theirs.replace(/(?= {4}"a)/, `${line}\n`) });
  await expect(readLock(united)).rejects.toMatchObject({
    code: 'file-failed',
    message: expect.stringContaining('a.example is listed twice'),
    remedy: expect.stringContaining('apply with "--domain a.example --resend-passwords"'),
  });
});

test('what is no domain stands in no command that is printed, be it there twice', async () => {
  const line = '"$(touch x)": { "key": "k", "fingerprint": "f" }';
  const folder = await testFolder({
    [LOCK_FILE]: `{ "format": "websites.lock/1", "passwords": { ${line}, ${line} } }`,
  });
  expect(Object.keys((await readLock(folder)) ?? {})).toEqual(['$(touch x)']);
});

test('no name of a website is taken for a part of the file', async () => {
  const entry = { key: 'k', fingerprint: 'f' };
  const entries = new Map(
    ['passwords', 'key', '__proto__', 'constructor', 'toString'].map((name) => [name, entry]),
  );
  const folder = await testFolder({ [LOCK_FILE]: lockFileText(entries) });
  expect(await readLockFile(folder)).toEqual(entries);
});
