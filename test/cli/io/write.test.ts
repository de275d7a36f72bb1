import { chmod, mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeWhole } from '../../../src/cli/io/write.ts';
import { testFolder } from '../../support/cli.ts';

test.each([0o600, 0o664])('writeWhole keeps the permissions of an existing file (mode %i)', async (mode) => {
  const cwd = await testFolder({ 'a.yaml': 'old' });
  await chmod(join(cwd, 'a.yaml'), mode);
  await writeWhole('a.yaml', ['new', 'er'], cwd);
  expect((await stat(join(cwd, 'a.yaml'))).mode & 0o777).toBe(mode);
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe('newer');
});

test('writeWhole leaves the file unchanged and no temporary file if the last check fails', async () => {
  const cwd = await testFolder({ 'a.yaml': 'old' });
  const error = new Error('It was edited.');
  await expect(writeWhole('a.yaml', ['new'], cwd, () => Promise.reject(error))).rejects.toMatchObject({
    code: 'file-failed',
    cause: error,
  });
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe('old');
  expect(await readdir(cwd)).toEqual(['a.yaml']);
});

test('writeWhole does not write through a link at the path of its temporary file', async () => {
  const cwd = await testFolder({ 'a.yaml': 'old', 'other.txt': 'precious' });
  await symlink('other.txt', join(cwd, `a.yaml.${process.pid}.tmp`));
  await writeWhole('a.yaml', ['new'], cwd);
  expect(await readFile(join(cwd, 'a.yaml'), 'utf8')).toBe('new');
  expect(await readFile(join(cwd, 'other.txt'), 'utf8')).toBe('precious');
  expect(await readdir(cwd)).toEqual(['a.yaml', 'other.txt']);
});

test('writeWhole creates the directories of a new file', async () => {
  const cwd = await testFolder();
  await writeWhole('new/too/a.yaml', ['new'], cwd);
  expect(await readFile(join(cwd, 'new/too/a.yaml'), 'utf8')).toBe('new');
});

test.each(['folder', 'file/x.json', 'x'.repeat(300)])(
  'a write error names the path as the user gave it (%s)',
  async (file) => {
    const cwd = await testFolder({ file: '' });
    await mkdir(join(cwd, 'folder'));
    await expect(writeWhole(file, ['text'], cwd)).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringMatching(`^${file} cannot be written: [a-z ]+\\.$`),
    });
  },
);
