/** Machine formats: JSON whose keys stand as in the value. */
import { safeJson } from './sanitize.ts';

/** A document, harmless on a terminal too. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

/** A member of a document, as it stands there. */
export function memberJson(name: string, member: unknown): string {
  return JSON.stringify({ [name]: member }, null, 2).slice('{\n'.length, -'\n}'.length);
}

/** One line of an NDJSON stream. */
export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}
