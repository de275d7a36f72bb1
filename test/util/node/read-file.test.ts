import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import {
  collectBytes,
  MAX_FILE,
  MAX_SMALL_FILE,
  openRegular,
  readNamed,
  readRegularFile,
  readSmallSync,
} from '../../../src/util/node/read-file.ts';
import { testFolder } from '../../support/cli.ts';

const WAYS = {
  readRegularFile: (path: string) => readRegularFile(path),
  openRegular: async (path: string) => void (await openRegular(path)),
  readSmallSync: async (path: string) => readSmallSync(path),
};

/** A folder with one entry of each kind. */
async function folderOfKinds(): Promise<string> {
  const folder = await testFolder({ file: 'text' });
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  for (const device of ['zero', 'null', 'tty']) symlinkSync(`/dev/${device}`, join(folder, device));
  const server = createServer().listen(join(folder, 'socket'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return folder;
}

test.each(Object.entries(WAYS))('reading with %s is an error for all but regular files', async (_, read) => {
  const folder = await folderOfKinds();
  for (const name of ['pipe', 'zero', 'null', 'socket']) {
    await expect(read(join(folder, name)), name).rejects.toMatchObject({
      code: expect.stringMatching(/^it is a .*socket/),
    });
  }
  await expect(read(folder)).rejects.toMatchObject({ code: 'it is a directory' });
  await expect(read(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file is read completely even if the system reports no size', async () => {
  const folder = await testFolder({ empty: '' });
  const bytes = Buffer.alloc(300_000, 'abc');
  await writeFile(join(folder, 'file'), bytes);
  expect((await readRegularFile(join(folder, 'file'))).equals(bytes)).toBe(true);
  expect(await readRegularFile(join(folder, 'empty'))).toHaveLength(0);
  expect(readSmallSync(join(folder, 'empty'))).toBe('');
  if (process.platform !== 'linux') return;
  expect((await readRegularFile('/proc/self/stat')).toString()).toContain(`${process.pid} (`);
  expect(readSmallSync('/proc/self/stat')).toContain(`${process.pid} (`);
});

test('reading a file larger than its limit is an error', async () => {
  const path = join(await testFolder({ file: '' }), 'file');
  truncateSync(path, MAX_FILE + 1);
  await expect(readRegularFile(path)).rejects.toMatchObject({ code: 'it is larger than 500 MB' });
  await expect(readNamed(path)).rejects.toMatchObject({ code: 'it is larger than 500 MB' });
  truncateSync(path, MAX_SMALL_FILE + 1);
  await expect(readRegularFile(path, MAX_SMALL_FILE)).rejects.toMatchObject({
    code: 'it is larger than 64 KiB',
  });
  expect(() => readSmallSync(path)).toThrow('it is larger than 64 KiB');
  truncateSync(path, MAX_SMALL_FILE);
  expect(await readRegularFile(path, MAX_SMALL_FILE)).toHaveLength(MAX_SMALL_FILE);
  expect(readSmallSync(path)).toHaveLength(MAX_SMALL_FILE);
  await expect(collectBytes(Readable.from(['ab', Buffer.from('c')]), 2)).rejects.toThrow('it is larger than');
  expect((await collectBytes(Readable.from(['ab', Buffer.from('c')]), 3)).toString()).toBe('abc');
});

async function fill(pipe: string, text: string): Promise<void> {
  const writer = await open(pipe, 'w');
  writeFileSync(writer.fd, text);
  await writer.close();
}

test('readNamed reads a pipe up to the size limit of a file, but never a device', async () => {
  const folder = await folderOfKinds();
  const [pipe, file] = [join(folder, 'pipe'), join(folder, 'file')];
  const filled = async (text: string, most?: number): Promise<string> => {
    const [read] = await Promise.allSettled([readNamed(pipe, most), fill(pipe, text)]);
    return read.status === 'fulfilled' ? read.value.toString() : read.reason.code;
  };
  expect(await filled('through the pipe')).toBe('through the pipe');
  expect(await filled('')).toBe('');
  expect(await filled('too much', 5)).toContain('larger');
  expect((await readNamed(file)).toString()).toBe('text');
  for (const name of ['zero', 'socket'])
    await expect(readNamed(join(folder, name))).rejects.toMatchObject({
      code: expect.stringContaining('device'),
    });
  await expect(readNamed(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
});
