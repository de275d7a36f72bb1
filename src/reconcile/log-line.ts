/** One line of a log, in either format. */
import { UNSAFE_CLASS, utf16Escapes } from '../util/text.ts';

/** In the order in which they are written; what is undefined is left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** With what CI systems take for a command wherever in a line it stands (`##[…]`, `##vso[…]`). */
const UNSAFE = new RegExp(`[${UNSAFE_CLASS}]|#(?=#\\w*\\[)`, 'gu');

/** What needs no quotes. */
const BARE = /^[^\s"=\\]+$/;

/** As `{"time":"…","level":"info","msg":"…",…}`, or as `TIME LEVEL MSG name=value …`; without the line break. */
export function logLine(
  format: LogFormat,
  time: string,
  level: string,
  msg: string,
  fields: LogFields,
): string {
  if (format === 'json') return harmless(JSON.stringify({ time, level, msg, ...fields }));
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${textOf(value)}`],
  );
  return harmless([time, level.padEnd(5), msg, ...pairs].join(' '));
}

function textOf(value: string | number | boolean): string {
  const text = String(value);
  return BARE.test(text) ? text : JSON.stringify(text);
}

/** JSON stays the same JSON. */
function harmless(text: string): string {
  return text.replace(UNSAFE, utf16Escapes);
}
