import { trimPlain } from '../util/look-alikes.ts';

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?:(:\d{2})(?:\.\d+)?)?[ ]?(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

const FIRST = Date.parse('0000-01-01T00:00:00Z');
const END = Date.parse('+010000-01-01T00:00:00Z');

/** Parses a date, or a time with or without an offset (then UTC). Returns `undefined` for any other text. */
export function parseInstant(text: string): string | undefined {
  const [, day, time = '00:00', seconds = ':00', zone = 'Z'] = TIME.exec(trimPlain(text)) ?? [];
  const local = `${day}T${time}${seconds}`;
  // Date.parse accepts February 30 as March 2, and 24:00 as the next day.
  if (instantOf(Date.parse(`${local}Z`)) !== `${local}Z`) return undefined;
  return instantOf(Date.parse(local + (zone.length === 3 ? `${zone}:00` : zone)));
}

/** Returns `undefined` outside of the years 0 to 9999. */
export function instantOf(milliseconds: number): string | undefined {
  return milliseconds >= FIRST && milliseconds < END ? formatInstant(milliseconds) : undefined;
}

/** Formats a time without the fraction of a second. */
export function formatInstant(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}
