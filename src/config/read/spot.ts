import type { Place, Problem, WarningCode } from '../../model/errors.ts';
import { isObject } from '../../util/json.ts';
import { contains, firstOfNoName, type Oddity, TYPE_IT_PLAIN } from '../../util/look-alikes.ts';
import type { ConfigFile } from '../files/files.ts';
import type { Allowed } from '../files/paths.ts';
import type { SecretBook } from '../secrets/secret.ts';
import { hasReference, substitute, type Variables } from '../secrets/substitute.ts';
import { type ConfigPart, type Finding, type ParsedDocument, type Path, problemAt } from './source.ts';

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

  /** Reports a text. If a character in it resembles another one, that is the likely cause and the reported place. */
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

/** Replaces variables in a text or a list of texts. Reports a variable that is not available: then there is no value. */
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
