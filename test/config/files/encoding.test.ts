/** Files of text that is not UTF-8: the true reason, and none of their content. */
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/config/files/encoding.ts';
import { load, problemsOf } from '../support.ts';

const oid = `oid sha256:${'4d'.repeat(32)}\nsize 12345\n`;
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

const FILES: [name: string, content: string | Buffer, reason: string, remedy: string][] = [
  [
    'a Git LFS pointer',
    `version https://git-lfs.github.com/spec/v1\n${oid}`,
    'Git LFS pointer',
    'git lfs pull',
  ],
  ['a git-annex pointer', '/annex/objects/SHA256E-s12--4d.csv\n', 'git-annex pointer', 'git annex get'],
  ['an Ansible vault', '$ANSIBLE_VAULT;1.1;AES256\n6238\n', 'encrypted with Ansible Vault', 'ansible-vault'],
  ['an age file', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n', 'encrypted with age', 'age --decrypt'],
  ['UTF-16 without a mark', utf16('version: 1\n'), 'UTF-16 without a byte order mark', 'CSV UTF-8'],
  ['half of UTF-16', utf16('\ufeffversion: 1\n').subarray(0, -1), 'UTF-16 and cut off or damaged', 'UTF-8'],
  ['Windows-1252', Buffer.from('caf\xe9.example\n', 'latin1'), 'such as Windows-1252', 'CSV UTF-8'],
  ['a spreadsheet', Buffer.from('PK\x03\x04\x14\0\xff', 'latin1'), 'ZIP archive', 'Export the sheet as CSV'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\x01', 'latin1'), 'not UTF-8 text', 'the right file'],
  ['a NUL', 'a.example\0\n', 'a NUL character', 'UTF-8'],
];

describe.each(FILES)('%s', (_, content, reason, remedy) => {
  const wanted = { message: expect.stringContaining(reason), remedy: expect.stringContaining(remedy) };

  test.each([
    ['websites.yaml', { 'websites.yaml': content }],
    ['list.csv', { 'websites.yaml': 'websites: { from: list.csv }\n', 'list.csv': content }],
    ['list.txt', { 'websites.yaml': 'websites: { from: list.txt }\n', 'list.txt': content }],
  ])('a file that is not UTF-8 text is an error in %s', async (file, files) => {
    const problems = await problemsOf(files);
    expect(problems).toEqual([{ severity: 'error', ...wanted, place: expect.objectContaining({ file }) }]);
  });
});

test('a text that only begins like a Git LFS pointer is read as text', () => {
  const text = 'version https://git-lfs.github.com/spec/v1.example\n';
  expect(decodeText(Buffer.from(text))).toBe(text);
});

test.each([
  ['the low byte', (bytes: Buffer) => bytes],
  ['the high byte', (bytes: Buffer) => bytes.swap16()],
])('a UTF-16 file is read if it has a byte order mark and %s first', async (_, order) => {
  const files = {
    'websites.yaml': order(utf16('\ufeffwebsites: [caf\xe9.example, { from: list.csv }]\n')),
    'list.csv': order(utf16('\ufeffdomain\r\nb.example\r\n')),
  };
  const { desired } = await load(files);
  expect(desired.websites.map(({ domain }) => domain)).toEqual(['xn--caf-dma.example', 'b.example']);
});
