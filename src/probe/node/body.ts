/** The beginning of a body, decoded up to a limit, whatever the body contains. */
import * as zlib from 'node:zlib';

/** Of the body as it is sent, and of what it is decoded to. */
export const LARGEST_BODY = 256 * 1024;

/** By the names of RFC 9110, section 8.4.1. */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & AsyncIterable<Buffer>>> = {
  gzip: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
};

/** What is asked for. */
export const CODINGS = 'gzip, deflate, br';

export interface Decoded {
  readonly bytes: Buffer;
  /** Why it is not all that was sent. */
  readonly unread?: string;
}

/** Decodes `bytes`, the beginning of a body, as far as they go and up to the limit. */
export async function decodeStart(bytes: Buffer, coding = 'identity'): Promise<Decoded> {
  const name = coding.trim().toLowerCase();
  if (name === 'identity' || name === '' || bytes.length === 0) return { bytes };
  const decoder = DECODERS[name]?.();
  if (decoder === undefined)
    return { bytes, unread: `the response is compressed (${name}), which cannot be read` };
  const parts: Buffer[] = [];
  let size = 0;
  try {
    decoder.end(bytes);
    for await (const part of decoder) {
      parts.push(part);
      size += part.length;
      if (size >= LARGEST_BODY) break;
    }
  } catch {
    return { bytes: Buffer.concat(parts), unread: `the response is compressed (${name}), and damaged` };
  }
  return { bytes: Buffer.concat(parts).subarray(0, LARGEST_BODY) };
}
