const MAX_DEPTH = 250;

/** Returns `undefined` if the text is not JSON, or if it is nested too deeply for recursive functions. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return mayBeDeep(text) && isDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** True if the text has many opening brackets. Most texts have few, and need no further check. */
function mayBeDeep(text: string): boolean {
  return ['[', '{'].some((bracket) => text.split(bracket, MAX_DEPTH / 2).length === MAX_DEPTH / 2);
}

function isDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((member) => isDeep(member, left - 1));
}

export const QUOTE = 0x22;

/** Returns the change of depth at a character, which is given by its code. */
export function nesting(code: number): -1 | 0 | 1 {
  if (code === 0x5b || code === 0x7b) return 1;
  return code === 0x5d || code === 0x7d ? -1 : 0;
}

/** Returns the end of the string literal at `start`, or of the text if it is not closed. */
export function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
