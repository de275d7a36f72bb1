/** Writes values of the service into a YAML file (decision: "Accepted drift is written back in place"). */

import { PRIVACY } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { groupBy, type Some } from '../../util/group-by.ts';
import { skip } from '../bulk/rows.ts';
import type { RecordOrigin } from '../read/merge.ts';
import { isMap, isRow, type Range, type Spot } from '../read/source.ts';
import { fieldOf } from '../schema/keys.ts';
import { referencedNames } from '../secrets/substitute.ts';
import type { Accepted, Drift, Refused } from './drift.ts';
import { lineAfter, lineEndOf } from './insertion.ts';

type WrittenEntry = readonly [key: string, written: Value];
type Edit = readonly [start: number, end: number, by: string];

export interface Writing {
  entryOf(value: Pick<Accepted, 'field' | 'value'>, key?: string): WrittenEntry;
  yaml(written: Value): string;
  yamlEntry(entry: WrittenEntry, indent: string, longest?: number): string;
}

interface Change extends Accepted {
  readonly origin: RecordOrigin;
  readonly entry: WrittenEntry;
  /** Missing for a key that is added to the record. */
  readonly edits?: readonly Edit[];
}

/** Returns the reason that files with the text `after` would not have exactly the accepted values. */
export type WhyWrong = (after: string, accepted: readonly Accepted[]) => Promise<string | undefined>;

/** Returns the text of `into` with the edits that `whyWrong` accepts, and the values that stay different. */
export async function updateFile(
  drift: Drift,
  originOf: (index: number) => RecordOrigin,
  into: string,
  writing: Writing,
  whyWrong: WhyWrong,
) {
  const others: { readonly file: string; readonly domain: string }[] = [];
  const refused: Refused[] = [];
  const changes: Change[] = [];
  for (const one of drift) {
    const origin = originOf(one.index);
    const { scope } = origin.at;
    if (scope.file.absolute !== into && !isRow(scope)) {
      others.push({ file: scope.file.path, domain: one.desired.domain });
      continue;
    }
    if ('reason' in one) {
      refused.push(one);
      continue;
    }
    const change = changeOf(origin, one, writing);
    if (typeof change === 'string') refused.push({ ...one, reason: change });
    else changes.push({ ...one, ...change, origin });
  }
  const [first] = changes;
  const text = first?.origin.at.scope.document.source.text ?? '';

  let checks = 0;
  /** Looks for wrong changes in halves, because each check reads all files. */
  const keepRight = async (kept: readonly Change[], more: readonly Change[]): Promise<readonly Change[]> => {
    const all = [...kept, ...more];
    checks += 1;
    const reason = checks > MAX_CHECKS ? UNTRIED : await whyWrong(textWith(text, all, writing), all);
    if (reason === undefined) return all;
    const half = Math.ceil(more.length / 2);
    if (half < more.length && reason !== UNTRIED)
      return keepRight(await keepRight(kept, more.slice(0, half)), more.slice(half));
    refused.push(...more.map((change) => ({ ...change, reason })));
    return kept;
  };
  const accepted = first === undefined ? [] : await keepRight([], changes);
  refused.sort((a, b) => a.index - b.index);
  return {
    accepted,
    refused,
    others,
    after: accepted.length === 0 ? undefined : textWith(text, accepted, writing),
  };
}

const MAX_CHECKS = 100;
const UNTRIED = 'was not tried, because many other values cannot be written: select it with --domain';

/** Returns the reason that a value is not written. For example, another program generates the rows of a bulk file. */
function changeOf(origin: RecordOrigin, value: Accepted, { entryOf, yaml }: Writing) {
  const { at } = origin;
  const { scope, path } = at;
  if (isRow(scope)) {
    const [key, written] = entryOf(value);
    return `is not written into ${scope.file.path}: the service has ${key}: ${yaml(written)}`;
  }
  const { locate } = scope.document;
  const item = locate(path);
  if (!isWithin(item, locate(path.slice(0, -1)))) return 'cannot be written: the record is an alias';
  const map = origin.raw();
  const own = isMap(map) ? map : {};
  // Known before the check of all edits, because it may concern many records.
  if (value.field === 'privacy' && own.password && value.value !== PRIVACY.password) return LOCKED;
  const name = Object.keys(own).find((key) => fieldOf(key) === value.field) ?? '';
  const entry = entryOf(value, name);
  const isMerged = !isWithin(locate([...path, name], 'key'), item);
  if (name === '' || isMerged) return { entry };
  if (name !== entry[0]) return `needs the key ${entry[0]}`;
  const [raw, items] = [own[name], value.desired.settings[value.field]];
  const isEachRead = Array.isArray(raw) && Array.isArray(items) && items.length === raw.length;
  const edits = editsOf(at.in(name), isEachRead ? items : [], entry[1], yaml);
  return typeof edits === 'string' ? edits : { entry, edits };
}

const LOCKED = 'cannot change while the record declares a password: remove the password first';

function isWithin(part: Range, whole: Range): boolean {
  return part.start >= whole.start && part.end <= whole.end;
}

const ALIAS = /[ \t]*\*[^\s,\]}]+/y;

/** Replaces a value. Items that stay in a list keep their order, and their comments if each has its own line. */
function editsOf(
  { scope: { document }, path }: Spot,
  items: readonly string[],
  written: Value,
  yaml: Writing['yaml'],
): readonly Edit[] | string {
  const { locate, source } = document;
  const { text } = source;
  const [key, { start, end }] = [locate(path, 'key'), locate(path)];
  const afterColon = text.indexOf(':', key.end) + 1;
  const aliasEnd = skip(text, afterColon, ALIAS);
  if (text.slice(afterColon, start).trimStart().startsWith('&')) return 'cannot be written: it has an anchor';
  // A missing value has the place of its key.
  if (aliasEnd > afterColon || start === key.start) return [[afterColon, aliasEnd, ` ${yaml(written)}`]];
  const old = text.slice(start, end);
  if (referencedNames(old).length > 0) return 'is written with a variable';
  const list = Array.isArray(written) ? written : [];
  const added = list.filter((item) => !items.includes(item));
  const isKept = items.map((item) => list.includes(item));
  if (!old.startsWith('-')) {
    const all = [...items.filter((_, index) => isKept[index]), ...added];
    const isCommented = old.includes('#');
    return isCommented
      ? 'cannot be written: comments in it would be lost'
      : [[start, end, yaml(Array.isArray(written) ? all : written)]];
  }
  const places = items.map((_, index) => locate([...path, index]));
  const gone = places.filter((_, index) => !isKept[index]);
  const edits = gone.map((place): Edit => [lineStart(text, place.start), lineAfter(text, place.end), '']);
  if (list.length === 0) return [[afterColon, afterColon, ' []'], ...edits];
  const [first = 0] = places.map((place) => place.start);
  const lead = lineEndOf(text) + text.slice(lineStart(text, first), first);
  const at = contentEnd(text, places.findLast((_, index) => isKept[index])?.end ?? afterColon);
  return [[at, at, added.map((item) => lead + yaml(item)).join('')], ...edits];
}

/** Adds keys of one record after its domain. A record that is only a domain becomes a map. */
function additionsOf(changes: Some<Change>, { yamlEntry }: Writing): readonly Edit[] {
  const { at, raw } = changes[0].origin;
  const { locate, source } = at.scope.document;
  const { text } = source;
  const isMapped = isMap(raw());
  const { path } = isMapped ? at.in('domain') : at;
  const { start } = locate(path, isMapped ? 'key' : 'value');
  const { end } = locate(path);
  const isFlow = /[[{]/.test(text.charAt(locate(path.slice(0, -1)).start));
  const [opening, closing] = isMapped || !isFlow ? ['domain: ', ''] : ['{ domain: ', ' }'];
  const indent = ' '.repeat(start - lineStart(text, start));
  const added = changes.map(({ entry }) =>
    isFlow ? `, ${yamlEntry(entry, '', text.length)}` : `\n${yamlEntry(entry, indent)}`,
  );
  const next = isFlow ? end : contentEnd(text, end);
  return [
    [start, start, isMapped ? '' : opening],
    [next, next, added.join('').replaceAll('\n', lineEndOf(text)) + closing],
  ];
}

function textWith(text: string, changes: readonly Change[], writing: Writing): string {
  const additions = changes.filter(({ edits }) => edits === undefined);
  const edits = [
    ...changes.flatMap((change) => change.edits ?? []),
    ...groupBy(additions, ({ index }) => index).flatMap(([, own]) => additionsOf(own, writing)),
  ];
  let [after, at] = ['', 0];
  for (const [start, end, by] of edits.sort(([a], [b]) => a - b)) {
    after += text.slice(at, start) + by;
    at = end;
  }
  return after + text.slice(at);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function contentEnd(text: string, offset: number): number {
  return offset + text.slice(offset, lineAfter(text, offset)).trimEnd().length;
}
