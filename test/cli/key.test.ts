import { describe, expect, test } from 'vitest';
import { readKey } from '../../src/cli/key.ts';
import { testFolder } from '../support/cli.ts';

const FILES = { 'some.key': ' key-of-a-file \n', 'empty.key': ' \n', 'quoted.key': '"abc"\n' };

/** The key that a command in a folder with `FILES` would send. */
async function keyOf(file: string | undefined, variable?: string): Promise<string> {
  const cwd = await testFolder(FILES);
  return readKey(file, { env: { WEBSITES_API_KEY: variable }, cwd, stdin: process.stdin }, undefined);
}

describe('the key', () => {
  test.each([
    ['of a file, without the line end', 'some.key', undefined, 'key-of-a-file'],
    ['of a file before that of the variable', 'some.key', 'key-of-a-variable', 'key-of-a-file'],
    ['of the variable', undefined, 'key-of-a-variable', 'key-of-a-variable'],
    ['of the variable, without the line end', undefined, 'key-of-a-variable\n', 'key-of-a-variable'],
  ])('%s', async (_, file, variable, key) => {
    expect(await keyOf(file, variable)).toBe(key);
  });

  test.each([
    ['no file, and no variable', undefined, undefined, 'No API key is set.'],
    ['an empty variable', undefined, '', 'No API key is set.'],
    ['a variable of white space', undefined, ' \n', 'No API key is set.'],
    ['an empty file, whatever the variable says', 'empty.key', 'another', 'The key file empty.key is empty.'],
    [
      'no such file, whatever the variable says',
      'no.key',
      'another',
      'The key file no.key cannot be read: file not found.',
    ],
  ])('is missing with %s', async (_, file, variable, message) => {
    await expect(keyOf(file, variable)).rejects.toMatchObject({ code: 'key-missing', message });
  });

  test.each([
    ['a file', 'quoted.key', undefined, 'The API key in the key file quoted.key is in quotes.'],
    ['the variable', undefined, '<API_KEY>', 'The API key in WEBSITES_API_KEY is a placeholder.'],
  ])('an undo is blocked if %s has another value', async (_, file, variable, message) => {
    await expect(keyOf(file, variable)).rejects.toMatchObject({ code: 'usage', message });
  });
});
