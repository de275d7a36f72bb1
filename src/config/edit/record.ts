/** A record in YAML: its values at their places, and further keys for those that come from elsewhere. */
import { FIELD_NAMES } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { Document, Path } from '../read/document.ts';
import type { Range } from '../read/source.ts';
import { isMap, type Mapping } from '../read/validate.ts';
import { fieldOf, RECORD_KEYS } from '../schema/keys.ts';
import { referencedNames } from '../secrets/substitute.ts';
import { type Edit, lineEndAt } from './edits.ts';
import { editBlockList, editFlowList, reordered } from './list.ts';
import {
  ALIAS,
  type NewValue,
  type NotWritten,
  noneWritten,
  otherKey,
  type RecordEdits,
  SHARED,
  UNUSUAL,
  VARIABLE,
  type Writing,
} from './writing.ts';

/** An empty value behind a colon, spelled out or not. */
const EMPTY = /[ \t]*(?:null|Null|NULL|~)?(?=[ \t\r\n,}]|$)/y;
const COLON = /\s*:/y;

type Place = NonNullable<ReturnType<Document['own']>>;

/** What makes the record at `path` declare `values`; `raw` is what is written there. */
export function editRecord(
  document: Document,
  path: Path,
  raw: unknown,
  values: readonly NewValue[],
  writing: Writing,
): RecordEdits {
  const place = document.own(path);
  if (place === undefined || isAlias(document, place)) return noneWritten(values, ALIAS);
  if (place === 'shared') return noneWritten(values, SHARED);
  const range = place as Range;
  if (!isMap(raw)) return editDomain(document, path, range, values, writing);
  const edits: Edit[] = [];
  const notWritten: NotWritten[] = [];
  const added: NewKey[] = [];
  for (const value of values) {
    const key = Object.keys(raw).find((name) => fieldOf(name) === value.field);
    const own = key === undefined ? undefined : document.own([...path, key]);
    if (key === undefined || own === undefined) {
      added.push({ value, entry: writing.entryOf(value, key) });
      continue;
    }
    const found = editValue(document, [...path, key], own, raw[key], value, writing);
    if (typeof found === 'string') notWritten.push({ field: value.field, reason: found });
    else edits.push(...found);
  }
  const keys = addKeys(document, path, range, raw, added, writing);
  return { edits: [...edits, ...keys.edits], notWritten: [...notWritten, ...keys.notWritten] };
}

function isAlias({ source: { text } }: Document, place: Place): boolean {
  return place === 'alias' || (typeof place === 'object' && text[place.start] === '*');
}

/** A key that a record gets, and the value that it is for. */
interface NewKey {
  readonly value: NewValue;
  readonly entry: readonly [key: string, written: Value];
}

/** Writes over the value at `path`; a reason where that cannot be. */
function editValue(
  document: Document,
  path: Path,
  own: Place,
  raw: unknown,
  value: NewValue,
  writing: Writing,
): readonly Edit[] | string {
  const { text } = document.source;
  if (own === 'shared') return SHARED;
  if (own === 'alias') return ALIAS;
  const [key, written] = writing.entryOf(value, String(path.at(-1)));
  if (key !== path.at(-1)) return otherKey(key);
  if (text[own.start] === '*') return [{ ...own, text: writing.yaml(written) }];
  if (raw === null) return editEmpty(document, path, writing.yaml(written));
  const old = text.slice(own.start, own.end);
  if (referencedNames(old).length > 0) return VARIABLE;
  if (!Array.isArray(raw) || !Array.isArray(written)) {
    return /[\n|>]/.test(old) ? UNUSUAL : [{ ...own, text: writing.yaml(written) }];
  }
  const items = raw.map((_, index) => document.own([...path, index]));
  if (items.includes('shared')) return SHARED;
  const list = { text, range: own, items: items as readonly Range[], raw, field: value.field };
  if (text[own.start] === '-') return editBlockList(list, written, writing, () => colonOf(document, path));
  return old.includes('\n')
    ? editFlowList(list, written, writing)
    : [{ ...own, text: writing.yaml(reordered(list, written)) }];
}

/** Where the colon behind a key ends; `undefined` where it has none. */
function colonOf({ source: { text }, locate }: Document, path: Path): number | undefined {
  COLON.lastIndex = locate(path, 'key').end;
  return COLON.test(text) ? COLON.lastIndex : undefined;
}

function editEmpty(document: Document, path: Path, yaml: string): readonly Edit[] | string {
  const colon = colonOf(document, path);
  if (colon === undefined) return UNUSUAL;
  EMPTY.lastIndex = colon;
  const isPlain = EMPTY.test(document.source.text);
  return isPlain ? [{ start: colon, end: EMPTY.lastIndex, text: ` ${yaml}` }] : UNUSUAL;
}

/** The keys of a record in the order in which they are mostly written. */
const ORDER = Object.keys(RECORD_KEYS);

/** Adds each key behind the nearest one that comes before it and is on one line, at the latest the domain. */
function addKeys(
  document: Document,
  path: Path,
  record: Range,
  raw: Mapping,
  added: readonly NewKey[],
  writing: Writing,
): RecordEdits {
  const { text } = document.source;
  const inFlow = text[record.start] === '{';
  const there = ORDER.flatMap((key) => {
    const own = key in raw && raw[key] !== null ? document.own([...path, key]) : undefined;
    if (typeof own !== 'object') return [];
    const { start } = document.locate([...path, key], 'key');
    return inFlow || !text.slice(start, own.end).includes('\n') ? [{ key, start, end: own.end }] : [];
  });
  const edits: Edit[] = [];
  const notWritten: NotWritten[] = [];
  const inOrder = added.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const { value, entry } of inOrder) {
    const before = there.findLast(({ key }) => ORDER.indexOf(key) <= ORDER.indexOf(entry[0]));
    if (before === undefined) notWritten.push({ field: value.field, reason: UNUSUAL });
    else if (inFlow) edits.push(insertion(before.end, `, ${entry[0]}: ${writing.yaml(entry[1])}`));
    else edits.push(newLine(text, before.end, columnOf(text, before.start), writing.yamlEntry, entry));
  }
  return { edits, notWritten };
}

function rankOf({ value }: NewKey): number {
  return FIELD_NAMES.indexOf(value.field);
}

/** Makes a map of a record that is a domain alone. */
function editDomain(
  document: Document,
  path: Path,
  range: Range,
  values: readonly NewValue[],
  writing: Writing,
): RecordEdits {
  const { text } = document.source;
  const list = document.own(path.slice(0, -1));
  const inFlow = typeof list === 'object' && text[list.start] === '[';
  const before = text.slice(inFlow ? list.start : text.lastIndexOf('\n', range.start - 1) + 1, range.start);
  const isPlain = inFlow ? /[[,]\s*$/.test(before) : /^[ \t]*(?:- +)?$/.test(before);
  if (!isPlain || /[\n|>]/.test(text.slice(range.start, range.end))) return noneWritten(values, UNUSUAL);
  const entries = values.map((value) => writing.entryOf(value));
  if (inFlow) {
    const rest = entries.map(([key, written]) => `, ${key}: ${writing.yaml(written)}`).join('');
    const edits = [insertion(range.start, '{ domain: '), insertion(range.end, `${rest} }`)];
    return { edits, notWritten: [] };
  }
  const column = columnOf(text, range.start);
  return {
    edits: [
      insertion(range.start, 'domain: '),
      ...entries.map((entry) => newLine(text, range.end, column, writing.yamlEntry, entry)),
    ],
    notWritten: [],
  };
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** A line below the one that ends what is before `end`. */
function newLine(
  text: string,
  end: number,
  column: number,
  yamlEntry: Writing['yamlEntry'],
  entry: NewKey['entry'],
): Edit {
  const { at, lineEnd } = lineEndAt(text, end);
  const lines = yamlEntry(entry, ' '.repeat(column)).replaceAll('\n', lineEnd);
  return insertion(at, lineEnd + lines);
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1) - 1;
}
