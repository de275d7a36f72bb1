import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKey } from '../../src/cli/key.ts';
import { ensureKeyFile } from '../../src/server/key.ts';
import { testFolder } from '../support/cli.ts';

const FILES = { 'some.key': ' key-of-a-file \n', 'empty.key': ' \n', 'quoted.key': '"abc"\n' };

/** The API key that a command in a directory with `FILES` would send. */
async function keyOf(file: string | undefined, variable?: string): Promise<string> {
  const cwd = await testFolder(FILES);
  const host = { env: { WEBSITES_API_KEY: variable }, cwd, err: () => undefined };
  return readKey({ apiKeyFile: file }, host, undefined);
}

test.each([
  ['from a file, without the line end', 'some.key', undefined, 'key-of-a-file'],
  ['from a file, even if the variable is set', 'some.key', 'key-of-a-variable', 'key-of-a-file'],
  ['from WEBSITES_API_KEY', undefined, 'key-of-a-variable', 'key-of-a-variable'],
  ['from WEBSITES_API_KEY, without the line end', undefined, 'key-of-a-variable\n', 'key-of-a-variable'],
])('the API key is read %s', async (_, file, variable, key) => {
  expect(await keyOf(file, variable)).toBe(key);
});

test.each([
  ['no file, and no variable', undefined, undefined, 'No API key is set.'],
  ['an empty variable', undefined, '', 'No API key is set.'],
  ['a variable of white space', undefined, ' \n', 'No API key is set.'],
  ['an empty file, even if the variable is set', 'empty.key', 'another', 'The key file empty.key is empty.'],
  [
    'a missing file, even if the variable is set',
    'no.key',
    'another',
    'The key file no.key cannot be read: file not found.',
  ],
])('the API key counts as missing with %s', async (_, file, variable, message) => {
  await expect(keyOf(file, variable)).rejects.toMatchObject({ code: 'key-missing', message });
});

test.each([
  ['a file', 'quoted.key', undefined, 'The API key in the key file quoted.key is in quotes.'],
  ['the variable', undefined, '<API_KEY>', 'The API key in WEBSITES_API_KEY is a placeholder.'],
])('an API key in quotes or angle brackets is a usage error (in %s)', async (_, file, variable, message) => {
  await expect(keyOf(file, variable)).rejects.toMatchObject({ code: 'usage', message });
});

test.each([
  [
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n',
    'is a Git LFS pointer',
    'git lfs pull',
  ],
  ['/annex/objects/SHA256E-s40--abc\n', 'is a git-annex pointer', 'git annex get'],
  ['$ANSIBLE_VAULT;1.1;AES256\n62383331666630\n', 'is encrypted with Ansible Vault', 'ansible-vault decrypt'],
  ['-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n', 'is encrypted with age', 'age --decrypt'],
  ['age-encryption.org/v1\n-> X25519 abc\n', 'is encrypted with age', 'age --decrypt'],
  ['{ "data": "ENC[AES256_GCM,data:p6w==,iv:YY=]" }\n', 'is encrypted with SOPS', 'sops decrypt'],
])('a Git pointer or encrypted key file is an error with a fix: %j', async (text, message, remedy) => {
  const cwd = await testFolder({ 'some.key': text });
  const file = join(cwd, 'some.key');
  await chmod(file, 0o600);
  const host = { env: {}, cwd, err: () => undefined };
  const byCommand = () => readKey({ apiKeyFile: 'some.key' }, host, undefined);
  for (const read of [byCommand, () => ensureKeyFile(file)]) {
    await expect(read()).rejects.toMatchObject({
      message: expect.stringContaining(message),
      remedy: expect.stringContaining(remedy),
    });
  }
});
