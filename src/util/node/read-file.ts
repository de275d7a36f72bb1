/** Reads regular files of bounded size, checked when open, so that nothing can replace them; also named pipes. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** In bytes; a text cannot be much longer. */
export const MAX_FILE = 500_000_000;
/** Bytes of a file that contains a line or two, such as a key. */
export const MAX_SMALL_FILE = 64 * 1024;

/** The reason that a file is not read. `code` is a clause, shown like that of a system error. */
export class UnfitFile extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, remedy: string) {
    super(code);
    this.code = code;
    this.remedy = remedy;
  }
}

/** Otherwise opening a pipe waits for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Throws UnfitFile, or the system's error. */
export async function readRegularFile(path: string, most: number = MAX_FILE): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await readOpen(file, most);
  } finally {
    await file.close();
  }
}

/** Throws UnfitFile, or the system's error. */
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

/** Throws UnfitFile for more than `most` bytes. */
export async function readOpen(file: FileHandle, most: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > most) throw tooLarge(most);
  const bytes = await file.readFile();
  // It may have grown, and some system files show no size.
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

/** Also reads a pipe, without a waiting thread, which would keep the process from ending. */
export async function readNamed(path: string, most: number = MAX_FILE): Promise<Buffer> {
  const fd = openNow(path);
  if (fstatSync(fd).isFIFO()) {
    const { Socket } = await import('node:net');
    return collect(new Socket({ fd, readable: true, writable: false }), most);
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

export async function collect(
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

/** Ends the sentence that something cannot be read; `error` is the error of reading it. */
export function whyUnread({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'file not found';
  return code === 'EACCES' ? 'permission denied' : (code ?? message);
}

function tooLarge(most: number): UnfitFile {
  const size = most < 1e6 ? `${most / 1024} KiB` : `${most / 1e6} MB`;
  return new UnfitFile(
    `it is larger than ${size}`,
    'Check that this is the file that you mean, or divide it.',
  );
}

function refuseIrregular(status: Stats): void {
  if (!status.isFile())
    throw notRegular(status.isDirectory() ? 'a directory' : 'a pipe, a socket or a device');
}

/** Opening a socket fails as if the file did not exist. */
function refuseSocket(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENXIO' ? notRegular('a socket or a device') : error;
}

function notRegular(what: string): UnfitFile {
  return new UnfitFile(`it is ${what}`, 'Use a regular file instead.');
}
