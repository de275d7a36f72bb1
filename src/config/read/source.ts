/** A file's text, the places in it, and problems that point at them. */

import { isUtf8 } from 'node:buffer';
import type { Place, Problem } from '../../model/errors.ts';
import { WebsitesError } from '../../model/errors.ts';
import { SENSITIVE } from '../../model/secret.ts';
import type { WarningCode } from '../../model/warning.ts';
import { withoutLogin, withoutQueries } from '../../util/redact.ts';
import { firstOf } from '../../util/text.ts';
import { decodeText } from '../files/encoding.ts';
import { shownOfLine, withoutSecretValues } from '../secrets/words.ts';

/** A stretch of a text, in UTF-16 units; `end` is the first one after it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export function rangeOf({ start, end }: Range): Range {
  return { start, end };
}

export interface Source {
  readonly name: string;
  readonly text: string;
  placeAt(offset: number): Place;
  lineAt(line: number): string;
}

/** The first column, counted from 1, of a line that is not to be shown; `undefined`: all of it may be. */
export type Hidden = (line: number) => number | undefined;

export interface Finding {
  /** Of a warning; without it this is an error. */
  readonly code?: WarningCode | undefined;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** Longer lines than this are not shown up to their end, and not at all when the caret is further right. */
export const MAX_EXCERPT = 200;
const MAX_QUOTE = 80;

/** A source over `text`, with its line ends looked for when the first place is asked for. */
export function createSource(name: string, text: string): Source {
  let found: readonly number[] | undefined;
  /** The line of the last place: most are asked for one after the other. */
  let last = 0;
  const starts = (): readonly number[] => {
    found ??= lineStarts(text);
    return found;
  };
  return {
    name,
    text,
    placeAt(offset) {
      last = lineOf(starts(), offset, last);
      return { file: name, line: last + 1, column: offset - (starts()[last] ?? 0) + 1 };
    },
    lineAt(line) {
      const end = starts()[line];
      if (end === undefined) return text.slice(starts()[line - 1]);
      return text.slice(starts()[line - 1], text[end - 2] === '\r' ? end - 2 : end - 1);
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the last line that starts at or before `offset`, from the line `low` on. */
function lineOf(starts: readonly number[], offset: number, low: number): number {
  let [first, last] = (starts[low] ?? 0) <= offset ? [low, low + 1] : [0, starts.length - 1];
  // Mostly it is one of the next lines.
  while ((starts[last] ?? Number.POSITIVE_INFINITY) <= offset) [first, last] = [last, 2 * last - first];
  last = Math.min(last, starts.length - 1);
  while (first < last) {
    const middle = (first + last + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) first = middle;
    else last = middle - 1;
  }
  return first;
}

/**
 * Reads a file's bytes as text. Bytes that are no text are a problem without an excerpt: what they
 * are, and whose, is not known.
 */
export function decodeSource(name: string, bytes: Uint8Array): Source | Problem {
  const found = decodeText(bytes);
  if (typeof found === 'string') return createSource(name, found);
  const text = Buffer.from(bytes).toString('utf8');
  const mark = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const source = createSource(name, text.slice(mark));
  const bad = isUtf8(bytes) ? source.text.indexOf('\0') : firstReplaced(text, bytes) - mark;
  const { message, remedy } = found;
  const place = source.placeAt(Math.max(0, bad));
  return { severity: 'error', message: `the file ${message}`, remedy, place };
}

/** The same of a file that has to be text. Throws `config-invalid` where it is none. */
export function readSource(name: string, bytes: Uint8Array): Source {
  const source = decodeSource(name, bytes);
  if ('text' in source) return source;
  throw new WebsitesError('config-invalid', `${name} cannot be read.`, { problems: [source] });
}

/** Where in `text`, which was read of `bytes`, the first byte that is not UTF-8 was replaced. */
function firstReplaced(text: string, bytes: Uint8Array): number {
  const again = Buffer.from(text);
  let at = 0;
  while (again[at] === bytes[at]) at += 1;
  // The replacement may begin with the same byte.
  while (((again[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return again.toString('utf8', 0, at).length;
}

export function problemAt(source: Source, range: Range, finding: Finding, hidden: Hidden): Problem {
  const place = source.placeAt(range.start);
  const excerpt = excerptAt(source.lineAt(place.line), place, range.end - range.start, hidden(place.line));
  return {
    ...(finding.code === undefined ? { severity: 'error' } : { severity: 'warning', code: finding.code }),
    message: withoutQueries(withoutLogin(withoutSecretValues(shorten(finding.message)))),
    ...(finding.remedy === undefined ? {} : { remedy: finding.remedy }),
    place,
    ...(excerpt === undefined ? {} : { excerpt }),
  };
}

function excerptAt(
  line: string,
  { column }: Place,
  length: number,
  hidden: number | undefined,
): Problem['excerpt'] {
  const before = column - 1;
  // Of a long line no more is searched than is shown: there may be many problems in it.
  const shown = shownOfLine(line.slice(0, MAX_EXCERPT));
  const end = Math.min(shown, (hidden ?? line.length + 1) - 1);
  if (line.trim() === '' || before > end || before + 1 === hidden) return undefined;
  const text = end < line.length ? `${firstOf(line, end)}…` : line;
  return { text, length: Math.max(1, Math.min(length, end - before)) };
}

function shorten(message: string): string {
  return message.length <= 4 * MAX_QUOTE
    ? message
    : message.replace(new RegExp(`"([^]{${MAX_QUOTE}})[^]*"`, 'u'), '"$1…"');
}

/** A text that starts at a place of the file, each line up to what is hidden. */
export function shownOf(text: string, start: Pick<Place, 'line' | 'column'>, hidden: Hidden): string {
  return text
    .split('\n')
    .map((line, index) => {
      const column = hidden(start.line + index) ?? Number.POSITIVE_INFINITY;
      const shown = Math.max(0, column - (index === 0 ? start.column : 1));
      return shown < line.length ? `${line.slice(0, shown).trimEnd()} ${SENSITIVE}` : line;
    })
    .join('\n');
}

export type Path = readonly (string | number)[];

export type ConfigPart = 'key' | 'value';

export interface ParsedDocument {
  readonly source: Source;
  /** Texts, numbers, booleans, null, arrays and objects. */
  readonly value: unknown;
  /**
   * Where the value at `path`, or its key, is written; for values that came by an alias or a merge
   * key, that is where the anchor is. Of a path that leads nowhere, its last part that exists.
   */
  locate(path: Path, part?: ConfigPart): Range;
  /** Where each item of the list at `path` starts, where that is known without a look at each. */
  readonly itemStarts?: (path: Path) => readonly number[] | undefined;
  readonly hidden: Hidden;
}
