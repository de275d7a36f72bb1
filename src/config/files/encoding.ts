import { isUtf8 } from 'node:buffer';
import { DOUBTS, standInFor } from '../../util/secret-text.ts';

/** A file that is not text: its kind, and how to get the text out of it. The message ends a sentence about the file. */
export interface NoText {
  readonly message: string;
  readonly remedy: string;
  readonly encoding?: 'windows-1252';
}

const ZIP = 'PK\x03\x04';
const SAMPLE = 4096;
const BEGINNING = 200;

const CONVERT = 'Save it as text in UTF-8; spreadsheets call it "CSV UTF-8".';

/**
 * The text of a file: UTF-8, or UTF-16 with a mark. Otherwise its kind, and none of its bytes: they may be anyone's.
 */
export function decodeText(bytes: Uint8Array): string | NoText {
  const standIn = standInOf(bytes);
  if (standIn !== undefined) return standIn;
  const encoding = utf16Of(bytes);
  const text = encoding === undefined ? decodeUtf8(bytes) : decodeUtf16(bytes, encoding);
  if (typeof text !== 'string' || !text.includes('\0')) return text;
  return { message: 'contains a NUL character', remedy: 'Save it as text in UTF-8.' };
}

function standInOf(bytes: Uint8Array): NoText | undefined {
  const beginning = Buffer.from(bytes.subarray(0, BEGINNING)).toString('latin1');
  const name = standInFor(beginning);
  // For a file of ours that SOPS encrypts, the place of the error is more useful.
  if (name !== undefined && name !== 'sops') return DOUBTS[name];
  if (!beginning.startsWith(ZIP)) return undefined;
  return {
    message: 'is a ZIP archive, as spreadsheets (.xlsx, .ods) are, and not text',
    remedy: 'Export the sheet as CSV in UTF-8.',
  };
}

function decodeUtf16(bytes: Uint8Array, encoding: string): string | NoText {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return { message: 'is UTF-16 and cut off or damaged', remedy: 'Save it again, as text in UTF-8.' };
  }
}

function decodeUtf8(bytes: Uint8Array): string | NoText {
  if (isUnmarkedUtf16(bytes.subarray(0, SAMPLE))) {
    return { message: 'is UTF-16 without a byte order mark, not UTF-8', remedy: CONVERT };
  }
  if (isUtf8(bytes)) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }
  return bytes.subarray(0, SAMPLE).some(isControl)
    ? { message: 'is not UTF-8 text', remedy: 'Check that this is the file that you mean.' }
    : {
        message: 'is not UTF-8 text: it may be in an older encoding, such as Windows-1252',
        remedy: CONVERT,
        encoding: 'windows-1252',
      };
}

/** By its mark (RFC 2781, section 3.2), with which text that is not UTF-8 begins. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** ASCII letters in UTF-16 are half NUL: on one side only, and in most pairs. */
function isUnmarkedUtf16(sample: Uint8Array): boolean {
  const nuls = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  return Math.min(...nuls) === 0 && Math.max(...nuls) > sample.length / 4;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte);
}
