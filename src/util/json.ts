/** Shorter texts may be nested to any depth: each level takes some 50 bytes. */
const SHORT = 1024 * 1024;
const MAX_DEPTH = 100;

/** `undefined` if the text is not JSON, or is long and nested deeper than any use has. */
export function parseJson(text: string): unknown {
  try {
    return text.length > SHORT && isDeeperThan(MAX_DEPTH, text) ? undefined : JSON.parse(text);
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
