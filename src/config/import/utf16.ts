/** Lists in UTF-16: "Unicode text" of a spreadsheet, or what the shell of Windows writes to a file. */
import { utf16Of } from '../files/encoding.ts';

/** The bytes in UTF-8, where a mark at their beginning says that they are UTF-16, and they are; else as they are. */
export function fromUtf16(bytes: Uint8Array): Uint8Array {
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return bytes;
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}
