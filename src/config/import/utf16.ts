/** Lists in UTF-16: "Unicode text" of a spreadsheet, or what the shell of Windows writes to a file. */

/** The bytes in UTF-8, where a mark at their beginning says that they are UTF-16, and they are; else as they are. */
export function fromUtf16(bytes: Uint8Array): Uint8Array {
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return bytes;
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}

/** By its mark (RFC 2781, section 3.2), which no text in UTF-8 begins with. */
function encodingOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}
