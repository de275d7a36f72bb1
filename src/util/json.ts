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

/** True if the text has many opening brackets. Most texts are short or have few, and need no further check. */
function mayBeDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false;
  return ['[', '{'].some((bracket) => text.split(bracket, MAX_DEPTH / 2).length === MAX_DEPTH / 2);
}

function isDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((member) => isDeep(member, left - 1));
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}
