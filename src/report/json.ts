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

/** Formats JSON, with escapes for characters that are unsafe on a terminal. */
export function jsonDocument(value: unknown): string {
  return `${safeJson(JSON.stringify(value, null, 2))}\n`;
}

export function documentJson(name: keyof typeof FORMATS, value: object): string {
  return jsonDocument({ format: FORMATS[name], ...value });
}

export function jsonLine(value: unknown): string {
  return `${safeJson(JSON.stringify(value))}\n`;
}

/**
 * Returns a document in pieces, with one line for each item of the lists in `long`. One large text would take more
 * memory than the value.
 */
export function* jsonPieces(
  document: object,
  long: readonly string[],
  write: (item: unknown) => string = JSON.stringify,
): Generator<string> {
  let before = '{\n';
  for (const [name, member] of Object.entries(document)) {
    if (member === undefined) continue;
    if (long.includes(name) && member.length > 0) {
      let start = `${before}  "${name}": [`;
      for (const item of member) {
        yield `${start}\n    ${safeJson(write(item))}`;
        start = ',';
      }
      yield '\n  ]';
    } else {
      const text = JSON.stringify({ [name]: member }, null, 2);
      yield before + safeJson(text.slice('{\n'.length, -'\n}'.length));
    }
    before = ',\n';
  }
  yield '\n}\n';
}
