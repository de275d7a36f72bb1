import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readKey } from '../../src/cli/key.ts';
import { ensureKeyFile } from '../../src/server/key.ts';
import { testFolder } from '../support/cli.ts';

const FILES = { 'some.key': ' key-of-a-file \n', 'empty.key': ' \n', 'quoted.key': '"abc"\n' };

/** The key that a command in a folder with `FILES` would send. */
async function keyOf(file: string | undefined, variable?: string): Promise<string> {
  const cwd = await testFolder(FILES);
  const host = { env: { WEBSITES_API_KEY: variable }, cwd, err: () => undefined };
  return readKey({ apiKeyFile: file }, host, undefined);
}

test.each([
  ['from a file, without the line end', 'some.key', undefined, 'key-of-a-file'],
  ['from a file before the variable', 'some.key', 'key-of-a-variable', 'key-of-a-file'],
  ['from the variable', undefined, 'key-of-a-variable', 'key-of-a-variable'],
  ['from the variable, without the line end', undefined, 'key-of-a-variable\n', 'key-of-a-variable'],
])('the API key is read %s', async (_, file, variable, key) => {
  expect(await keyOf(file, variable)).toBe(key);
});

test.each([
  ['no file, and no variable', undefined, undefined, 'No API key is set.'],
  ['an empty variable', undefined, '', 'No API key is set.'],
  ['a variable of white space', undefined, ' \n', 'No API key is set.'],
  ['an empty file, whatever the variable has', 'empty.key', 'another', 'The key file empty.key is empty.'],
  [
    'a missing file, whatever the variable has',
    'no.key',
    'another',
    'The key file no.key cannot be read: file not found.',
  ],
])('the API key is missing with %s', async (_, file, variable, message) => {
  await expect(keyOf(file, variable)).rejects.toMatchObject({ code: 'key-missing', message });
});

test.each([
  ['a file', 'quoted.key', undefined, 'The API key in the key file quoted.key is in quotes.'],
  ['the variable', undefined, '<API_KEY>', 'The API key in WEBSITES_API_KEY is a placeholder.'],
])('a malformed API key in %s is refused', async (_, file, variable, message) => {
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
])('a key file with %j is refused by name, by commands and by serve', async (text, message, remedy) => {
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
