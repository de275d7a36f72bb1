import { SOPS, standInFor } from '../../util/secret-text.ts';

/** Describes a file that is not text: its kind, and a remedy. The message continues a sentence about the file. */
export interface NoText {
  readonly message: string;
  readonly remedy: string;
  readonly encoding?: 'windows-1252';
}

const SAMPLE = 4096;
const BEGINNING = 200;

/**
 * Returns the text of a file in UTF-8, or in UTF-16 with a byte order mark. Otherwise returns only the kind of the
 * file, because its bytes may be secret.
 */
export function decodeText(bytes: Uint8Array): string | NoText {
  const beginning = Buffer.from(bytes.subarray(0, BEGINNING)).toString('latin1');
  const standIn = standInFor(beginning);
  // If a file is encrypted by SOPS, a later error with a location is more useful.
  if (standIn !== undefined && standIn !== SOPS) return standIn;
  if (beginning.startsWith('PK\x03\x04')) return ZIP;
  const encoding = utf16Of(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? NUL : text;
  } catch {
    if (encoding !== undefined) return DAMAGED;
    return bytes.subarray(0, SAMPLE).some(isControl) ? NO_UTF8 : OLD_ENCODING;
  }
}

const CONVERT = 'Save it as UTF-8 text. In a spreadsheet program, choose "CSV UTF-8".';
const ZIP: NoText = {
  message: 'is a ZIP archive, such as a spreadsheet (.xlsx, .ods), and not text',
  remedy: 'Export the sheet as CSV in UTF-8.',
};
const NUL: NoText = {
  message: 'contains a NUL character: it may be UTF-16 without a byte order mark',
  remedy: CONVERT,
};
const DAMAGED: NoText = { message: 'is UTF-16 and cut off or damaged', remedy: CONVERT };
const NO_UTF8: NoText = {
  message: 'is not UTF-8 text',
  remedy: 'Check that you named the right file.',
};
const OLD_ENCODING: NoText = {
  message: 'is not UTF-8 text: it may be in an older encoding, such as Windows-1252',
  remedy: CONVERT,
  encoding: 'windows-1252',
};

/** Detects UTF-16 by its byte order mark (RFC 2781, section 3.2), which is not valid UTF-8. */
export function utf16Of([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function isControl(byte: number): boolean {
  return byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d].includes(byte);
}
