/**
 * The body of an answer in bounded memory: of one answer, and of all that are under way together. What is compressed
 * although nobody asked for it is read: undici decodes nothing.
 */
import * as zlib from 'node:zlib';
import { Broken, type Head, MAX_BODY, tooLarge } from './network-errors.ts';

/** Of an answer that says that something failed, the beginning tells why, in bytes. */
const MAX_ERROR = 64 * 1024;
/** Bodies under way at once, in bytes; each takes up to twice its size while it grows. */
const MAX_TOGETHER = 64 * 1024 * 1024;
const FIRST_SIZE = 16 * 1024;

export interface BodyBudget {
  takenBytes: number;
}

export interface Body {
  /** Takes in a part; false if no more of it is wanted. */
  add(part: Buffer): boolean;
  end(): Buffer;
  /** Gives back what it takes of the budget. */
  release(): void;
}

export function startBody({ status, headers }: Head, budget: BodyBudget): Body {
  const isCut = status >= 300;
  const max = isCut ? MAX_ERROR : MAX_BODY;
  // One buffer that grows: a body may come byte by byte.
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
    add(part) {
      const size = length + part.length;
      if (size > max && !isCut) throw tooLarge();
      if (bytes.length < Math.min(size, max)) grow(size);
      length += part.copy(bytes, length);
      return size <= max;
    },
    end: () => decoded(bytes.subarray(0, length), headers['content-encoding'], isCut).subarray(0, max),
    release() {
      budget.takenBytes -= bytes.length;
      bytes = Buffer.alloc(0);
    },
  };
}

type Decode = (bytes: Buffer, options: zlib.ZlibOptions & zlib.BrotliOptions) => Buffer;

const CODINGS: Readonly<Record<string, Decode>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  // Some send the bare stream, which the name does not mean.
  deflate: (bytes, options) =>
    ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options),
  br: zlib.brotliDecompressSync,
  identity: (bytes) => bytes,
};

/** `bytes` without the codings that their header names, of which the last was applied last. */
function decoded(bytes: Buffer, codings: string | undefined, isCut: boolean): Buffer {
  const names = codings?.toLowerCase().match(/[^\s,]+/g) ?? [];
  return names.reduceRight((before, name) => decodeOnce(before, name, isCut), bytes);
}

function decodeOnce(bytes: Buffer, name: string, isCut: boolean): Buffer {
  if (bytes.length === 0) return bytes;
  const decode = CODINGS[name];
  if (decode === undefined)
    throw new Broken('broken', `the answer is compressed (${name}), which cannot be read`);
  // What is cut has no end.
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const finishFlush = name === 'br' ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH;
  try {
    return decode(bytes, { maxOutputLength: MAX_BODY, ...(isCut && { finishFlush }) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new Broken('broken', `the answer is compressed (${name}), and damaged`);
  }
}
