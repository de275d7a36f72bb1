/** The file that an output path leads to, through all kinds of links. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { placeToWrite } from '../../../src/config/files/paths.ts';
import { testFolder } from '../../support/cli.ts';

/** A checkout with a folder `sites` to work in, and a place outside of it. */
let checkout: string;
let outside: string;

beforeEach(async () => {
  outside = await testFolder({ 'there.txt': '' });
  checkout = await testFolder({
    'sites/there.txt': '',
    'reports/there.txt': '',
    '.git/config': '',
    '.ssh/k': '',
  });
});

const place = (file: string, base = join(checkout, 'sites')) => placeToWrite(join(base, file), base);
const OUT = { code: 'file-failed', message: expect.stringContaining('is a link that leads out') };

test.each([
  ['there.txt', 'there.txt'],
  ['new.txt', 'new.txt'],
  ['beside.txt', 'none/yet.txt'],
  ['up.txt', '../reports/there.txt'],
  ['twice.txt', 'up.txt'],
])('an output file %s can be a link to %s in the checkout', async (name, target) => {
  if (name === 'twice.txt') await symlink('../reports/there.txt', join(checkout, 'sites/up.txt'));
  if (name !== target) await symlink(target, join(checkout, 'sites', name));
  const end = target === 'up.txt' ? '../reports/there.txt' : target;
  expect(await place(name)).toBe(join(checkout, 'sites', end));
});

test('an output directory can be a link to another directory in the checkout', async () => {
  await symlink('../reports', join(checkout, 'sites/out'));
  expect(await place('out/new.txt')).toBe(join(checkout, 'reports/new.txt'));
});

test.each(['there.txt', 'new.txt'])('an output file cannot link to %s outside the checkout', async (name) => {
  await symlink(join(outside, name), join(checkout, 'sites/out.txt'));
  await symlink('out.txt', join(checkout, 'sites/more.txt'));
  await expect(place('out.txt')).rejects.toMatchObject(OUT);
  await expect(place('more.txt')).rejects.toMatchObject(OUT);
});

test('an output directory cannot link out of the checkout, even if the path leads back', async () => {
  await symlink(outside, join(checkout, 'sites/out'));
  await symlink(checkout, join(outside, 'back'));
  await expect(place('out/new.txt')).rejects.toMatchObject(OUT);
  await expect(place('out/back/new.txt')).rejects.toMatchObject(OUT);
  await expect(placeToWrite(join(checkout, 'sites/out/new.txt'), outside)).rejects.toMatchObject(OUT);
});

test.each(['.git', '.ssh'])('an output path cannot link into %s', async (name) => {
  await symlink(join('..', name), join(checkout, 'sites/dir'));
  await symlink(join('..', name, 'config'), join(checkout, 'sites/file'));
  await expect(place('dir/config')).rejects.toMatchObject(OUT);
  await expect(place('file')).rejects.toMatchObject(OUT);
  expect(await place(`../${name}/config`)).toBe(join(checkout, name, 'config'));
});

test('outside of a checkout, links of an output path must stay in the working directory', async () => {
  const cwd = await testFolder({ 'own/there.txt': '' });
  await symlink('own', join(cwd, 'near'));
  await symlink(outside, join(cwd, 'far'));
  expect(await place('near/a.txt', cwd)).toBe(join(cwd, 'own/a.txt'));
  await expect(place('far/a.txt', cwd)).rejects.toMatchObject(OUT);
});

test('an absolute output path outside of a checkout can use directory links', async () => {
  const cwd = await testFolder();
  const system = await testFolder({ 'there.txt': '' });
  await symlink(outside, join(system, 'tmp'));
  await symlink('there.txt', join(system, 'near.txt'));
  await symlink(join(outside, 'there.txt'), join(system, 'far.txt'));
  expect(await placeToWrite(join(system, 'tmp/a.txt'), cwd)).toBe(join(outside, 'a.txt'));
  expect(await placeToWrite(join(system, 'near.txt'), cwd)).toBe(join(system, 'there.txt'));
  await expect(placeToWrite(join(system, 'far.txt'), cwd)).rejects.toMatchObject(OUT);
});

test('an output path is valid if the working directory is reached through a link', async () => {
  const real = await testFolder();
  await mkdir(join(real, 'work/own'), { recursive: true });
  await symlink(join(real, 'work'), join(outside, 'tmp'));
  await symlink('own', join(real, 'work/near'));
  expect(await place('near/a.txt', join(outside, 'tmp'))).toBe(join(real, 'work/own/a.txt'));
});

test.skipIf(process.platform === 'win32')('output to /dev/stdout is accepted', async () => {
  await expect(placeToWrite('/dev/stdout', checkout)).resolves.toEqual(expect.any(String));
});
