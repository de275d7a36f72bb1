import { trimPlain } from '../util/look-alikes.ts';

const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?[ ]?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const FIRST = Date.parse('0000-01-01T00:00:00Z');
const END = Date.parse('+010000-01-01T00:00:00Z');

/** Reads a date, or a time with or without an offset (UTC without one); `undefined` for any other text. */
export function parseInstant(text: string): string | undefined {
  const parts = TIME.exec(trimPlain(text));
  if (parts === null) return undefined;
  const numbers = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  if (local.getUTCMonth() !== month - 1) return undefined;
  const offset = offsetMinutes(parts[7]);
  if (offset === undefined) return undefined;
  return instantOf(local.getTime() - offset * 60_000);
}

/** `undefined` outside the years 0 to 9999. */
export function instantOf(milliseconds: number): string | undefined {
  return milliseconds >= FIRST && milliseconds < END ? formatInstant(milliseconds) : undefined;
}

function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Omits the fraction of a second. */
export function formatInstant(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
