import { safeJson } from './sanitize.ts';

/** Escapes characters that are unsafe on a terminal. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

export function memberJson(name: string, member: unknown): string {
  return JSON.stringify({ [name]: member }, null, 2).slice('{\n'.length, -'\n}'.length);
}

export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}

/** A document in pieces, its longest list last, with one item per line. */
export function* jsonPieces(members: object, list: string, items: Iterable<unknown>): Generator<string> {
  const texts = Object.entries(members).map(([name, member]) => memberJson(name, member));
  yield safeJson(`{\n${texts.join(',\n')},\n  "${list}": [`);
  let before = '\n    ';
  for (const item of items) {
    yield before + safeJson(JSON.stringify(item));
    before = ',\n    ';
  }
  yield before.startsWith(',') ? '\n  ]\n}\n' : ']\n}\n';
}
