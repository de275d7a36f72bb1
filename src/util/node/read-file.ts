/**
 * Reading files. All of src reads through here: what is read is a regular file of bounded size, judged when it is open, so
 * that nothing else can be put in its place. What a user names may be a pipe too, of which no more is read.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** In bytes; somewhat more is more than one text can hold. */
export const LARGEST_FILE = 500_000_000;
/** Of a file that holds a line or two, such as a key, in bytes. */
export const LARGEST_SMALL_FILE = 64 * 1024;

/** Why a file is not read. The code is a clause, to be told where that of an error of the system is. */
export class UnfitFile extends Error {
  readonly code: string;
  readonly remedy: string;

  constructor(code: string, remedy: string) {
    super(code);
    this.code = code;
    this.remedy = remedy;
  }
}

/** Without it, opening a pipe waits for whoever writes into it. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const CHUNK = 64 * 1024;

/** The bytes of the regular file at `path`. Throws UnfitFile, and what the system throws. */
export async function readRegularFile(path: string, most: number = LARGEST_FILE): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await readOpen(file, most);
  } finally {
    await file.close();
  }
}

/** Opens the regular file at `path`. Throws UnfitFile, and what the system throws. */
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

/** The bytes of an open regular file. Throws UnfitFile where they are more than `most`. */
export async function readOpen(file: FileHandle, most: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > most) throw tooLarge(most);
  const parts: Buffer[] = [];
  // It may have grown, and of some files of the system the size is not known before.
  for (let [total, room] = [0, size || CHUNK]; ; room = CHUNK) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(room), 0, room, null);
    if (bytesRead === 0) break;
    total += bytesRead;
    if (total > most) throw tooLarge(most);
    parts.push(buffer.subarray(0, bytesRead));
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

export function readSmallSync(path: string): string {
  const file = openNow(path);
  try {
    refuseIrregular(fstatSync(file));
    const buffer = Buffer.alloc(LARGEST_SMALL_FILE + 1);
    let [end, read] = [0, 0];
    do {
      read = readSync(file, buffer, end, buffer.length - end, null);
      end += read;
    } while (read > 0 && end < buffer.length);
    if (end === buffer.length) throw tooLarge(LARGEST_SMALL_FILE);
    return buffer.toString('utf8', 0, end);
  } finally {
    closeSync(file);
  }
}

/**
 * The bytes of what a user named: a regular file, or a pipe, which no thread waits for: one that waits would keep the
 * process from ending. Throws as readRegularFile does.
 */
export async function readNamed(path: string, most: number = LARGEST_FILE): Promise<Buffer> {
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
  most: number = LARGEST_FILE,
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

/** Ends the sentence that something cannot be read; `error` is what reading it threw. */
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

/** A socket cannot even be opened, which the system tells as if nothing were there. */
function refuseSocket(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENXIO' ? notRegular('a socket or a device') : error;
}

function notRegular(what: string): UnfitFile {
  return new UnfitFile(`it is ${what}`, 'Use a regular file instead.');
}
