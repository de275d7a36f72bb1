/** Finds the place for more records in a YAML file. Existing bytes stay, except that records replace an empty list. */
import { isDeepStrictEqual } from 'node:util';
import { WebsitesError } from '../../model/errors.ts';
import { SENSITIVE } from '../../model/secret.ts';
import { skip } from '../bulk/rows.ts';
import {
  createSource,
  isMap,
  type Mapping,
  type ParsedDocument,
  type Path,
  problemAt,
  type Source,
} from '../read/source.ts';
import { readYaml, withoutLinesAfter } from '../yaml/fast/read.ts';

export interface Insertion {
  readonly style: 'block' | 'flow';
  readonly head: string;
  readonly tail: string;
  readonly indent: string;
  readonly lineEnd: string;
}

/**
 * Returns the text with `items` inserted, in pieces. Each item is the YAML of one record in the form of `style`,
 * without indentation.
 */
export function insertInto(insertion: Insertion, items: readonly string[]): readonly string[] {
  const { style, head, tail, indent, lineEnd } = insertion;
  if (style === 'block') {
    const lines = (item: string): string => item.replaceAll('\n', `${lineEnd}${indent}  `);
    return [head, ...items.map((item) => `${indent}- ${lines(item)}${lineEnd}`), tail];
  }
  const between = `,${lineEnd}${indent}`;
  return [head, items.join(between), /^\s*\]/.test(tail) ? '' : between, tail];
}

export async function shownText(source: Source): Promise<string> {
  const { document } = await readYaml(source);
  const lines = source.text.split('\n');
  return lines.map((line, index) => (document?.hidden(index + 1) === false ? line : SENSITIVE)).join('\n');
}

/**
 * Finds the place under `websites`, or in the group at `within`. It is the end of a block list, the start of a list
 * between brackets, or the end of the file. Throws `config-invalid`.
 */
export async function findInsertion(source: Source, within: Path = []): Promise<Insertion> {
  const { document } = await readYaml(source);
  const value = isMap(document?.value) ? document.value : {};
  const path = [...within, 'websites'];
  for (const insertion of document === undefined ? [] : candidates(document, value, path)) {
    if (await isRight(insertion, value, path)) return insertion;
  }
  const range = document?.locate(path, 'key') ?? { start: 0, end: 0 };
  const problem = {
    message: 'cannot add records here',
    remedy: 'Write the existing records as a list, with "- " before each record.',
  };
  throw new WebsitesError('config-invalid', `Records cannot be added to ${source.name}.`, {
    problems: [problemAt(source, range, problem, document?.hidden)],
    remedy: 'Choose another file with --into.',
  });
}

function candidates({ source, locate }: ParsedDocument, top: Mapping, path: Path): readonly Insertion[] {
  const websites = valueAt(top, path);
  const { text, placeAt, lineAt } = source;
  const lineEnd = lineEndOf(text);
  const whole = (lines: string): string => (lines === '' || lines.endsWith('\n') ? lines : lines + lineEnd);
  const block = (head: string, tail: string, indent: number): Insertion => {
    return { style: 'block', head: whole(head), tail, indent: ' '.repeat(indent), lineEnd };
  };
  if (websites === undefined)
    return path.length > 1 ? [] : [block(`${whole(text)}${lineEnd}websites:`, '', 2)];
  const [key, list] = [locate(path, 'key'), locate(path)];
  const written = text.slice(list.start, list.end);
  if (written.startsWith('[') && (written.length > 2 || text[locate([]).start] === '{')) {
    const [head, tail] = [text.slice(0, list.start + 1), text.slice(list.start + 1)];
    // Lines between brackets must be indented deeper than the map around them.
    const column = /[^ ]/.exec(lineAt(placeAt(key.start).line))?.index ?? 0;
    return [{ style: 'flow', head, tail, indent: ' '.repeat(Math.max(4, column + 2)), lineEnd }];
  }
  if (Array.isArray(websites) && websites.length > 0) {
    const indent = placeAt(list.start).column - 1;
    // Comments that are indented deeper belong to the record above them.
    const comments = new RegExp(`(?: {${indent + 1},}#[^\n]*(?:\n|$))*`, 'y');
    // Lines that look like comments may be text of the last record, so both places are tried.
    return [withoutLinesAfter(list, text), list].map(({ end }) => {
      const next = skip(text, lineAfter(text, end), comments);
      return block(text.slice(0, next), text.slice(next), indent);
    });
  }
  const next = lineAfter(text, list.end);
  // A missing value has the place of its key.
  const cut = list.start === key.start ? list.end : list.start;
  const head = text.slice(0, cut).replace(/[ \t]+$/, '') + text.slice(list.end, next);
  return [block(head, text.slice(next), placeAt(key.start).column + 1)];
}

export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

export function lineAfter(text: string, offset: number): number {
  const end = text.indexOf('\n', Math.max(0, offset - 1));
  return end === -1 ? text.length : end + 1;
}

const PROBES = {
  block: ['probe.invalid', 'domain: probe.invalid\nexclude_params:\n  - probe'],
  flow: ['probe.invalid', '{ domain: probe.invalid, exclude_params: [probe] }'],
};
const PROBED: readonly unknown[] = ['probe.invalid', { domain: 'probe.invalid', exclude_params: ['probe'] }];

/** Tests the place with sample records: the file must have the same content as before, plus these records. */
async function isRight(insertion: Insertion, before: Mapping, path: Path): Promise<boolean> {
  const { style } = insertion;
  const text = insertInto(insertion, PROBES[style]).join('');
  const expected = structuredClone(before);
  const holder = valueAt(expected, path.slice(0, -1));
  const old: unknown = valueAt(expected, path) ?? [];
  if (!isMap(holder) || !Array.isArray(old)) return false;
  Object.assign(holder, { websites: style === 'block' ? [...old, ...PROBED] : [...PROBED, ...old] });
  return isDeepStrictEqual((await readYaml(createSource('', text))).document?.value, expected);
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
}
