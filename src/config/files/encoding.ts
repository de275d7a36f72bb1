/** Why the bytes of a file are not the text that it should hold, and what helps. */
import { isUtf8 } from 'node:buffer';

/** What a file is instead, and how to get the text out of it. */
export interface NoText {
  readonly message: string;
  readonly remedy: string;
}

/** Files of a large repository whose contents are kept elsewhere (git-lfs's docs/spec.md; git-annex's pointer files). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n';
const ANNEX_POINTER = '/annex/objects/';
/** What .xlsx and .ods are. */
const ZIP = 'PK\x03\x04';
/** So much of a file tells what it is. */
const SAMPLE = 4096;

const CONVERT = 'Save it as text in UTF-8; spreadsheets call it "CSV UTF-8".';

/**
 * What else a file is than text in UTF-8 without NUL; `undefined` where it is that. No byte of it is told: what it is,
 * and whose, is not known.
 */
export function whyNoText(bytes: Uint8Array): NoText | undefined {
  return standIn(bytes) ?? otherEncoding(bytes);
}

function standIn(bytes: Uint8Array): NoText | undefined {
  const begins = (text: string): boolean => Buffer.from(text).equals(bytes.subarray(0, text.length));
  if (begins(LFS_POINTER)) {
    return {
      message: 'the file is a Git LFS pointer, without the content that it stands for',
      remedy: 'Run "git lfs pull"; in a workflow, check out with "lfs: true".',
    };
  }
  if (begins(ANNEX_POINTER)) {
    return {
      message: 'the file is a git-annex pointer, without the content that it stands for',
      remedy: 'Run "git annex get" with the name of the file.',
    };
  }
  if (begins(ZIP)) {
    return {
      message: 'the file is a ZIP archive, as spreadsheets (.xlsx, .ods) are, and not text',
      remedy: 'Export the sheet as CSV in UTF-8.',
    };
  }
  return undefined;
}

function otherEncoding(bytes: Uint8Array): NoText | undefined {
  const encoding = utf16Of(bytes);
  if (encoding !== undefined) {
    return isWhole(bytes, encoding)
      ? { message: 'the file is UTF-16, not UTF-8', remedy: CONVERT }
      : { message: 'the file is UTF-16 and cut off or damaged', remedy: 'Save it again, as text in UTF-8.' };
  }
  if (isUnmarkedUtf16(bytes.subarray(0, SAMPLE))) {
    return { message: 'the file is UTF-16 without a byte order mark, not UTF-8', remedy: CONVERT };
  }
  if (isUtf8(bytes)) {
    return bytes.includes(0)
      ? { message: 'the file contains a NUL character', remedy: 'Save it as text in UTF-8.' }
      : undefined;
  }
  return bytes.subarray(0, SAMPLE).some(isControl)
    ? { message: 'the file is not UTF-8 text', remedy: 'Check that this is the file that you mean.' }
    : {
        message: 'the file is not UTF-8 text: it may be in an older encoding, such as Windows-1252',
        remedy: CONVERT,
      };
}

/** By its mark (RFC 2781, section 3.2), which text that is not UTF-8 begins with. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function isWhole(bytes: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Letters of ASCII are half of NUL in UTF-16: on one side alone, and on most of it. */
function isUnmarkedUtf16(sample: Uint8Array): boolean {
  const nuls = [0, 0];
  for (const [index, byte] of sample.entries()) if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  return Math.min(...nuls) === 0 && Math.max(...nuls) > sample.length / 4;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte);
}
