const MAX_DEPTH = 250;

/** Returns `undefined` if the text is not JSON, or if it is nested too deeply. */
export function parseJson(text: string): unknown {
  try {
    return hasManyBrackets(text) && isDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text with fewer opening brackets than the limit is not too deep. Most texts need no further check. */
function hasManyBrackets(text: string): boolean {
  let opened = 0;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0 && opened <= MAX_DEPTH; at = text.indexOf(bracket, at + 1))
      opened += 1;
  }
  return opened > MAX_DEPTH;
}

function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at) - 1;
    else depth += nesting(code);
  }
  return depth > MAX_DEPTH;
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
