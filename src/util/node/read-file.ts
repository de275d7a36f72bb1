/**
 * Reads regular files of limited size, and named pipes. Checks the open file, so that it cannot be replaced between
 * check and read.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Maximum size in bytes. JavaScript strings cannot be much longer. */
export const MAX_FILE = 500_000_000;
/** Maximum size in bytes of a file with a line or two, such as an API key. */
export const MAX_SMALL_FILE = 64 * 1024;

/** The reason that a file is not read, as a clause. */
export class UnfitFile extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, remedy: string) {
    super(code);
    this.code = code;
    this.remedy = remedy;
  }
}

/** Without O_NONBLOCK, opening a pipe would wait for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Throws UnfitFile, or an error of the system. */
export async function readRegularFile(path: string, most: number = MAX_FILE): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await readOpen(file, most);
  } finally {
    await file.close();
  }
}

/** Throws UnfitFile, or an error of the system. */
export async function openRegular(path: string, flags: number = READ, mode?: number): Promise<FileHandle> {
  const file = await open(path, flags | READ, mode).catch(refuseSocket);
  try {
    refuseIrregular(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Throws UnfitFile if the file has more than `most` bytes. */
export async function readOpen(file: FileHandle, most: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > most) throw tooLarge(most);
  const bytes = await file.readFile();
  // Checked again: the file may have grown, and some system files report no size.
  if (bytes.length > most) throw tooLarge(most);
  return bytes;
}

export function readSmallSync(path: string): string {
  const file = openNow(path);
  try {
    const status = fstatSync(file);
    refuseIrregular(status);
    if (status.size > MAX_SMALL_FILE) throw tooLarge(MAX_SMALL_FILE);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Also reads a pipe. A pipe is read without a blocked thread, which would keep the process from exiting. */
export async function readNamed(path: string, most: number = MAX_FILE): Promise<Buffer> {
  const fd = openNow(path);
  if (fstatSync(fd).isFIFO()) {
    const { Socket } = await import('node:net');
    return collectBytes(new Socket({ fd, readable: true, writable: false }), most);
  }
  closeSync(fd);
  return readRegularFile(path, most);
}

function openNow(path: string): number {
  try {
    return openSync(path, READ);
  } catch (error) {
    return refuseSocket(error as NodeJS.ErrnoException);
  }
}

export async function collectBytes(
  stream: AsyncIterable<Uint8Array | string>,
  most: number = MAX_FILE,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    total += bytes.length;
    if (total > most) throw tooLarge(most);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function tooLarge(most: number): UnfitFile {
  const size = most < 1e6 ? `${most / 1024} KiB` : `${most / 1e6} MB`;
  return new UnfitFile(`it is larger than ${size}`, 'Check that this is the right file, or divide it.');
}

function refuseIrregular(status: Stats): void {
  if (!status.isFile())
    throw notRegular(status.isDirectory() ? 'a directory' : 'a pipe, a socket or a device');
}

/** Opening a socket fails with ENXIO, which does not explain the problem. */
function refuseSocket(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENXIO' ? notRegular('a socket or a device') : error;
}

function notRegular(what: string): UnfitFile {
  return new UnfitFile(`it is ${what}`, 'Use a regular file instead.');
}
