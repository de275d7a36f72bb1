/**
 * Reads response bodies with limited memory, for each and for all together. Also decompresses them, which undici does
 * not.
 */
import * as zlib from 'node:zlib';
import { Broken, type Head, MAX_BODY, tooLarge } from './network-errors.ts';

/** Maximum number of bytes to keep of an error response. The reason is at its start. */
const MAX_ERROR = 64 * 1024;
/** Limit in bytes for all bodies in flight. While a body grows, it takes up to twice its size. */
const MAX_TOGETHER = 64 * 1024 * 1024;
const FIRST_SIZE = 16 * 1024;

export type Body = ReturnType<typeof startBody>;

export function startBody({ status, headers }: Head, budget: { takenBytes: number }) {
  const isCut = status >= 300;
  const max = isCut ? MAX_ERROR : MAX_BODY;
  let bytes = Buffer.alloc(0);
  let length = 0;

  function grow(size: number): void {
    const next = Math.min(max, Math.max(FIRST_SIZE, bytes.length * 2, size));
    if (budget.takenBytes + next > MAX_TOGETHER)
      throw tooLarge('the responses in flight are too large together');
    budget.takenBytes += next - bytes.length;
    const grown = Buffer.allocUnsafe(next);
    bytes.copy(grown, 0, 0, length);
    bytes = grown;
  }

  return {
    /** Returns false once enough bytes were read. */
    add(part: Buffer): boolean {
      const size = length + part.length;
      if (size > max && !isCut) throw tooLarge();
      if (bytes.length < Math.min(size, max)) grow(size);
      length += part.copy(bytes, length);
      return size <= max;
    },
    end: (): Buffer =>
      decoded(bytes.subarray(0, length), headers['content-encoding'], isCut).subarray(0, max),
    release(): void {
      budget.takenBytes -= bytes.length;
      bytes = Buffer.alloc(0);
    },
  };
}

/** Some services compress a response although the client does not accept that. */
function decoded(bytes: Buffer, coding: string | undefined, isCut: boolean): Buffer {
  if (coding === undefined || coding === 'identity' || bytes.length === 0) return bytes;
  const decode = coding === 'br' ? zlib.brotliDecompressSync : zlib.unzipSync;
  try {
    return decode(bytes, { maxOutputLength: MAX_BODY });
  } catch (error) {
    // The body of an error may be cut off, and then it cannot be decompressed. The status is enough.
    if (isCut) return Buffer.alloc(0);
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Broken('broken', `the response is compressed (${coding}), and cannot be read`);
  }
}
