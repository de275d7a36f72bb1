/** Texts up to this length may be nested as deep as they can, in characters: it takes some 50 bytes a level. */
const SHORT = 1024 * 1024;
/** Nobody nests longer ones deeper. */
const DEEPEST = 100;

/** The value of a JSON text; `undefined` where it is none, or a long one that is nested deeper than any use has. */
export function parseJson(text: string): unknown {
  try {
    return text.length > SHORT && isDeeperThan(DEEPEST, text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDeeperThan(most: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfText(text, at);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** Where the text that begins at `start` ends: at its closing quote. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}
