import { isUtf8 } from 'node:buffer';
import { type Place, type Problem, type WarningCode, WebsitesError } from '../../model/errors.ts';
import { isObject } from '../../util/json.ts';
import { contains, firstOfNoName, type Oddity, TYPE_IT_PLAIN } from '../../util/look-alikes.ts';
import { redacted } from '../../util/redact.ts';
import { cutText } from '../../util/text.ts';
import { decodeText } from '../files/encoding.ts';
import type { ConfigFile } from '../files/files.ts';
import type { Allowed } from '../files/paths.ts';
import type { SecretBook } from '../secrets/secret.ts';
import { hasReference, substitute, type Variables } from '../secrets/substitute.ts';
import { SECRET_VALUE, withoutSecretValues } from '../secrets/words.ts';

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Source {
  readonly name: string;
  readonly text: string;
  /** True if a link outside of the directory leads to the file. It may be any file, so nothing of it is shown. */
  readonly isForeign?: boolean;
  placeAt(offset: number): Place;
  lineAt(line: number): string;
}

/** True for a line that may contain a secret. Nothing of it is shown. */
export type Hidden = (line: number) => boolean;

export interface Finding {
  /** Set for a warning. An error has no code. */
  readonly code?: WarningCode | undefined;
  readonly message: string;
  readonly remedy?: string | undefined;
}

export const MAX_EXCERPT = 200;
const MAX_QUOTE = 80;
const LONG_QUOTE = new RegExp(`"([^]{${MAX_QUOTE}})[^]*"`, 'u');

/** Creates a source from `text`. Line ends are found when a place is first needed. */
export function createSource(name: string, text: string): Source {
  let found: number[] | undefined;
  const starts = (): readonly number[] => {
    if (found === undefined) {
      found = [0];
      for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) found.push(at + 1);
    }
    return found;
  };
  return {
    name,
    text,
    placeAt(offset) {
      const line = lineOf(starts(), offset);
      return { file: name, line: line + 1, column: offset - (starts()[line] ?? 0) + 1 };
    },
    lineAt: (line) => text.slice(starts()[line - 1], starts()[line]).replace(/\r?\n$/, ''),
  };
}

/** A binary search, because a file may have a million lines. */
function lineOf(starts: readonly number[], offset: number): number {
  let [first, last] = [0, starts.length - 1];
  while (first < last) {
    const middle = (first + last + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) first = middle;
    else last = middle - 1;
  }
  return first;
}

/** Decodes bytes as text. If they are not text, returns a problem without an excerpt: the bytes may be secret. */
export function decodeSource(name: string, bytes: Uint8Array): Source | Problem {
  const found = decodeText(bytes);
  if (typeof found === 'string') return createSource(name, found);
  const source = createSource(name, new TextDecoder().decode(bytes));
  // Bytes that are not UTF-8 were decoded as U+FFFD.
  const bad = source.text.indexOf(isUtf8(bytes) ? '\0' : '\ufffd');
  const { message, remedy } = found;
  const place = source.placeAt(Math.max(0, bad));
  return { severity: 'error', message: `the file ${message}`, remedy, place };
}

/** Like decodeSource, but throws `config-invalid` if the file is not text. */
export function readSource(name: string, bytes: Uint8Array): Source {
  const source = decodeSource(name, bytes);
  if ('text' in source) return source;
  throw new WebsitesError('config-invalid', `${name} cannot be read.`, { problems: [source] });
}

/** Quotes the line of `range` unless it is hidden. Without `hidden`, the file is not understood and not quoted. */
export function problemAt(source: Source, range: Range, found: Finding, hidden?: Hidden): Problem {
  const { isForeign = false } = source;
  const finding = isForeign ? { ...FOREIGN, code: found.code && ('file-linked' as const) } : found;
  const place = source.placeAt(isForeign ? 0 : range.start);
  const isLong = finding.message.length > 4 * MAX_QUOTE;
  const message = isLong ? finding.message.replace(LONG_QUOTE, '"$1…"') : finding.message;
  const isShown = hidden?.(place.line) === false && !isForeign;
  const excerpt = isShown
    ? excerptAt(source.lineAt(place.line), place.column - 1, range.end - range.start)
    : undefined;
  return {
    ...(finding.code === undefined ? { severity: 'error' } : { severity: 'warning', code: finding.code }),
    message: redacted(withoutSecretValues(message)),
    remedy: finding.remedy,
    place,
    excerpt,
  };
}

const FOREIGN = {
  message:
    'this file has a problem, which is not shown: it is a link to a file outside the configuration directory',
  remedy: 'Replace the link with the file, or add the directory of the file to WEBSITES_ALLOW_PATH.',
} as const;

function excerptAt(line: string, before: number, length: number): Problem['excerpt'] {
  // Only the part that is shown is searched for secrets: a long line may have many problems, each with an excerpt.
  const shown = cutText(line, MAX_EXCERPT);
  if (line.trim() === '' || before > shown.length || SECRET_VALUE.test(shown)) return undefined;
  const text = shown.length < line.length ? `${shown}…` : line;
  return { text, length: Math.max(1, Math.min(length, shown.length - before)) };
}

export type Path = readonly (string | number)[];

export type ConfigPart = 'key' | 'value';

export interface ParsedDocument {
  readonly source: Source;
  readonly value: unknown;
  /**
   * Returns the range of the value at `path`, or of its key. For an alias, returns the range of the anchor. If the
   * path does not exist, returns the range of its last existing part.
   */
  locate(path: Path, part?: ConfigPart): Range;
  /** Returns the starts of the items of the list at `path`, if they are known without reading each item. */
  readonly itemStarts?: (path: Path) => readonly number[] | undefined;
  readonly hidden: Hidden;
}

export interface FileDocument {
  readonly file: ConfigFile;
  readonly document: ParsedDocument;
}

export interface Scope extends FileDocument {
  readonly secrets: { readonly sources: Allowed; readonly book: SecretBook };
  readonly variables: Variables;
  readonly problems: Problem[];
}

export class Spot {
  readonly scope: Scope;
  readonly path: Path;

  constructor(scope: Scope, path: Path) {
    this.scope = scope;
    this.path = path;
  }

  in(...way: Path): Spot {
    return new Spot(this.scope, [...this.path, ...way]);
  }

  get name(): string {
    return String(this.path.at(-1) ?? 'the top of a file');
  }

  get place(): Place {
    const { source, locate } = this.scope.document;
    return source.placeAt(locate(this.path).start);
  }

  /** Reports the place of `token` in its text, if that is given and the text is written without escapes. */
  report(finding: Finding, part: ConfigPart = 'value', token = ''): void {
    const { document, problems } = this.scope;
    const { start, end } = document.locate(this.path, part);
    const at = token === '' ? -1 : document.source.text.slice(start, end).indexOf(token);
    const range = at === -1 ? { start, end } : { start: start + at, end: start + at + token.length };
    problems.push(problemAt(document.source, range, finding, document.hidden));
  }

  /** Reports a string. If one of its characters resembles another character, reports its place as the likely cause. */
  reportText(text: unknown, finding: Finding, part?: ConfigPart): void {
    const oddity = typeof text === 'string' ? firstOfNoName(text) : undefined;
    if (oddity === undefined) this.report(finding, part);
    else this.reportOdd(oddity, `${finding.message}: ${contains(oddity)}`, undefined, part);
  }

  reportOdd({ character }: Oddity, message: string, code?: WarningCode, part?: ConfigPart): void {
    this.report({ code, message, remedy: TYPE_IT_PLAIN }, part, character);
  }
}

export type Mapping = Readonly<Record<string, unknown>>;

export const isMap: (raw: unknown) => raw is Mapping = isObject;

export function isRow({ document }: FileDocument): boolean {
  return document.value === undefined;
}

/** Replaces variables in a text or a list of texts. Returns nothing for a missing variable, and reports it. */
export function putVariables(at: Spot, raw: unknown, variables = at.scope.variables): unknown {
  if (Array.isArray(raw)) {
    const items = raw.map((item, index) => putVariables(at.in(index), item, variables));
    return items.includes(undefined) ? undefined : items;
  }
  if (typeof raw !== 'string' || !hasReference(raw) || isRow(at.scope)) return raw;
  const put = substitute(raw, variables);
  if (typeof put === 'string') return put;
  const { token, ...finding } = put;
  at.report(finding, 'value', token);
  return undefined;
}
