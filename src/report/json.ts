import { safeJson } from './sanitize.ts';

export const FORMATS = {
  event: 'websites.event/1',
  error: 'websites.error/1',
  runs: 'websites.runs/1',
  run: 'websites.run/1',
  list: 'websites.list/1',
  import: 'websites.import/1',
  doctor: 'websites.doctor/1',
  validation: 'websites.validation/1',
} as const;

/** Escapes characters that are unsafe on a terminal. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}

/** A document in pieces: a large text takes more memory than its value. `linesOf` has the items of a long list. */
export function* jsonPieces(
  document: object,
  linesOf: (name: string) => Iterable<string> | undefined,
): Generator<string> {
  let before = '{\n';
  for (const [name, member] of Object.entries(document)) {
    if (member === undefined) continue;
    const isEmpty = Array.isArray(member) && member.length === 0;
    const lines = isEmpty ? undefined : linesOf(name);
    if (lines === undefined) {
      const text = JSON.stringify({ [name]: member }, null, 2);
      yield before + safeJson(text.slice('{\n'.length, -'\n}'.length));
    } else {
      let start = `${before}  "${name}": [`;
      for (const piece of lines) {
        yield `${start}\n    ${safeJson(piece).replaceAll('\n', ',\n    ')}`;
        start = ',';
      }
      yield '\n  ]';
    }
    before = ',\n';
  }
  yield '\n}\n';
}
