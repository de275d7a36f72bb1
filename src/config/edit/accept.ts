/**
 * Accepted drift: records of a YAML file get the values of the service, and every other byte stays
 * (decision: "Accepted drift is written back in place").
 */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { FIELDS, type FieldName, PRIVACY } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import type { ConfigFile } from '../files/files.ts';
import { isPassword } from '../read/groups.ts';
import type { Origin } from '../read/record-places.ts';
import type { Path } from '../read/source.ts';
import { createSource, type Source, shownOf } from '../read/source.ts';
import { isMap as isObject, type Mapping } from '../read/validate.ts';
import { fieldOf } from '../schema/keys.ts';
import { referencedNames } from '../secrets/substitute.ts';
import { MOST_PARSED, readYaml } from '../yaml/fast/read.ts';
import { composeYaml } from '../yaml/syntax.ts';
import { isMergeKey } from '../yaml/values.ts';

/** A setting that a record is to declare. */
interface NewValue {
  readonly field: FieldName;
  readonly value: Value;
}

/** A setting that cannot be written in its place; the reason ends the sentence "FIELD …". */
export interface NotWritten {
  readonly field: FieldName;
  readonly reason: string;
}

type Entry = readonly [key: string, written: Value];

/** Values as YAML holds them. */
export interface Writing {
  /** The key and the plain value that declare a setting, under `key` if that can hold it. */
  entryOf(value: NewValue, key?: string): Entry;
  /** A plain value as YAML on one line. */
  yaml(written: Value): string;
  /** An entry of a block, on one line or several, of which each starts with `indent`. */
  yamlEntry(entry: Entry, indent: string): string;
}

/** A record that is to declare other values; `origin` is where it is written. */
export interface RecordUpdate {
  readonly desired: Pick<DesiredWebsite, 'settings'>;
  readonly origin: Origin;
  readonly values: readonly NewValue[];
}

/** A file and what becomes of its text. */
export interface UpdatedFile {
  readonly file: ConfigFile;
  readonly source: Source;
  readonly after: string;
}

type Stretch = readonly [start: number, end: number];
/** What is written in the place of a stretch, which may be empty. */
type Edit = readonly [...Stretch, text: string];

const SHARED = 'cannot be written: other values use it by an alias';
const ALIAS = 'cannot be written: the record is an alias';
const UNUSUAL = 'is written in a form that this command does not edit';
const TOO_LARGE = `is in a file larger than ${MOST_PARSED / 1e6} MB, which this command does not edit`;
const VARIABLE = 'is written with a variable';

/** Both texts without secrets, for a person to look at. */
export async function shownTexts({ source, after }: UpdatedFile): Promise<{ before: string; after: string }> {
  const shown = async (one: Source): Promise<string> => {
    const hidden = (await readYaml(one)).document?.hidden ?? (() => 1);
    return shownOf(one.text, { line: 1, column: 1 }, hidden);
  };
  return { before: await shown(source), after: await shown(createSource(source.name, after)) };
}

/** The file `into`, if its text changes, and for each of `updates` what is not written. */
export function updateFile(
  updates: readonly RecordUpdate[],
  into: string,
  writing: Writing,
): { readonly file: UpdatedFile | undefined; readonly notWritten: readonly (readonly NotWritten[])[] } {
  const scope = updates.find(({ origin }) => origin.scope.file.absolute === into)?.origin.scope;
  let editor: ReturnType<typeof createEditor> | undefined;
  const notWritten = updates.map(({ desired, origin, values }) => {
    const reasons = values.map((value) => whyNot(desired, origin, into, value, writing));
    const fit = values.filter((_, index) => reasons[index] === undefined);
    const refused = values.flatMap(({ field }, index) => {
      const reason = reasons[index];
      return reason === undefined ? [] : [{ field, reason }];
    });
    if (fit.length === 0) return refused;
    editor ??= createEditor(origin.scope.document.source, writing);
    return [...refused, ...editor.editRecord(origin, fit)];
  });
  const after = editor?.edited();
  if (scope === undefined || after === undefined) return { file: undefined, notWritten };
  const { source } = scope.document;
  return { file: after === source.text ? undefined : { file: scope.file, source, after }, notWritten };
}

/** Why a value is not written into `into`, if it is not: rows of bulk files are left to whoever makes these files. */
function whyNot(
  { settings }: RecordUpdate['desired'],
  { scope: { file, document }, isRow, raw }: Origin,
  into: string,
  value: NewValue,
  { entryOf, yaml }: Writing,
): string | undefined {
  if (isRow) {
    const [key, written] = entryOf(value);
    return `is not written into ${file.path}: the service has ${key}: ${yaml(written)}`;
  }
  if (file.absolute !== into) return `cannot be written: the record is declared in ${file.path}`;
  if (Buffer.byteLength(document.source.text) > MOST_PARSED) return TOO_LARGE;
  const keepsPassword =
    isPassword(settings.password) && isObject(raw) && (raw.password ?? undefined) !== undefined;
  return value.field === 'privacy' && value.value !== PRIVACY.password && keepsPassword
    ? 'cannot change while the record declares a password: remove the password first'
    : undefined;
}

/** Edits of one file, by the ranges of its syntax tree. */
function createEditor(source: Source, { entryOf, yaml, yamlEntry }: Writing) {
  const { text } = source;
  const composed = composeYaml(source);
  if (!('contents' in composed)) throw new Error('A file that was loaded is not YAML.');
  const tree = composed;
  const lineFeed = text.includes('\r\n') ? '\r\n' : '\n';
  const edits: Edit[] = [];
  const used = new Set<string>();
  visit(tree, { Alias: (_, { source: anchor }) => void used.add(anchor) });
  const isUsed = (node: unknown): boolean => isNode(node) && used.has(node.anchor ?? '');
  const lineStart = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
  const afterLine = (offset: number): number => text.indexOf('\n', offset) + 1 || text.length;
  const lineEnd = (offset: number): number => offset + text.slice(offset, afterLine(offset)).trimEnd().length;
  const afterColon = (keyEnd: number): number => text.indexOf(':', keyEnd) + 1;

  function replace([start, end]: Stretch, by: string): undefined {
    edits.push([start, end, by]);
  }

  const insert = (at: number, what: string): undefined => replace([at, at], what);

  /** The node at a path, or why nothing in it is edited. */
  function nodeAt(path: Path): unknown {
    let node: unknown = tree.contents;
    for (const step of [...path, undefined]) {
      if (isAlias(node)) return ALIAS;
      if (isUsed(node)) return SHARED;
      if (step !== undefined) node = isSeq(node) ? node.items[Number(step)] : ownPair(node, step)?.value;
    }
    return node;
  }

  function editRecord({ path, raw }: Origin, values: readonly NewValue[]): NotWritten[] {
    const node = nodeAt(path);
    const none = (reason: string): NotWritten[] => values.map(({ field }) => ({ field, reason }));
    if (typeof node === 'string') return none(node);
    if (isScalar(node)) return editDomain(node, nodeAt(path.slice(0, -1)), values) ?? none(UNUSUAL);
    return values.flatMap((value): NotWritten[] => {
      const key = Object.keys(raw as Mapping).find((name) => fieldOf(name) === value.field);
      const pair = key === undefined ? undefined : ownPair(node, key);
      const [entry, old] = [entryOf(value, key), (raw as Mapping)[key ?? '']];
      const reason =
        pair === undefined ? addKey(node as YAMLMap, entry) : editValue(pair, old, value.field, entry);
      return reason === undefined ? [] : [{ field: value.field, reason }];
    });
  }

  /** Adds a key behind the domain. */
  function addKey(map: YAMLMap, entry: Entry): string | undefined {
    const { key, value } = ownPair(map, 'domain') ?? {};
    const [[start], [, end]] = [stretchOf(key), stretchOf(value)];
    if (end === 0 || text.slice(start, end).includes('\n')) return UNUSUAL;
    return map.flow ? insert(end, `, ${entry[0]}: ${yaml(entry[1])}`) : insertBelow(end, start, entry);
  }

  /** Adds an entry below the line that holds `end`, in the column of `start`. */
  function insertBelow(end: number, start: number, entry: Entry): undefined {
    const lines = yamlEntry(entry, ' '.repeat(start - lineStart(start)));
    return insert(lineEnd(end), lineFeed + lines.replaceAll('\n', lineFeed));
  }

  /** Makes a map of a record that is a domain alone, if it is on one line. */
  function editDomain(node: Node, list: unknown, values: readonly NewValue[]): NotWritten[] | undefined {
    const [start, end] = stretchOf(node);
    if (!isSeq(list) || /[\n|>]/.test(text.slice(start, end))) return undefined;
    insert(start, list.flow ? '{ domain: ' : 'domain: ');
    for (const entry of values.map((value) => entryOf(value))) {
      if (list.flow) insert(end, `, ${entry[0]}: ${yaml(entry[1])}`);
      else insertBelow(end, start, entry);
    }
    if (list.flow) insert(end, ' }');
    return [];
  }

  /** Writes over a value; a reason where that cannot be. */
  function editValue({ key, value }: Pair, raw: unknown, field: FieldName, [name, written]: Entry) {
    if (!isScalar(key) || key.value !== name) return `needs the key ${name}`;
    if (isUsed(value)) return SHARED;
    const own = stretchOf(value);
    const old = text.slice(...own);
    if (referencedNames(old).length > 0) return VARIABLE;
    if (isSeq(value) && Array.isArray(raw) && Array.isArray(written))
      return editList(
        value,
        raw.map((item) => canonical(field, item)),
        written,
        stretchOf(key)[1],
      );
    if (old === '') return insert(afterColon(stretchOf(key)[1]), ` ${yaml(written)}`);
    return /[\n|>]/.test(old) ? UNUSUAL : replace(own, yaml(written));
  }

  /** Edits a list that has `items`: those that stay keep their order. */
  function editList(list: YAMLSeq, items: readonly string[], written: readonly string[], keyEnd: number) {
    if (!list.flow) return editBlockList(list.items.map(stretchOf), items, written, keyEnd);
    const own = stretchOf(list);
    const stay = items.filter((item) => written.includes(item));
    if (text.slice(...own).includes('#')) return UNUSUAL;
    return replace(own, yaml([...new Set([...stay, ...written])]));
  }

  /** Edits a list with an item on each line: those that stay keep their comments. */
  function editBlockList(
    places: readonly Stretch[],
    items: readonly string[],
    written: readonly string[],
    keyEnd: number,
  ): string | undefined {
    const gone = places.filter((_, index) => !written.includes(items[index] ?? ''));
    const last = places.findLast((place) => !gone.includes(place));
    const [first = 0] = last ?? places[0] ?? [];
    const lead = text.slice(lineStart(first), first);
    if (!/^ *- +$/.test(lead) || places.some((place) => text.slice(...place).includes('\n'))) return UNUSUAL;
    const lines = written.filter((item) => !items.includes(item)).map((item) => lead + yaml(item));
    if (written.length === 0) insert(afterColon(keyEnd), ' []');
    else if (last === undefined) insert(lineStart(first), lines.map((line) => line + lineFeed).join(''));
    else insert(lineEnd(last[1]), lines.map((line) => lineFeed + line).join(''));
    for (const [start, end] of gone) replace([lineStart(start), afterLine(end)], '');
    return undefined;
  }

  /** The text with the edits; of several at one place, the order is that in which they were made. */
  function edited(): string {
    const parts: string[] = [];
    let at = 0;
    for (const [start, end, by] of edits.toSorted(([a], [b]) => a - b)) {
      parts.push(text.slice(at, start), by);
      at = end;
    }
    return [...parts, text.slice(at)].join('');
  }

  return { editRecord, edited };
}

/** An item as the service has it. */
function canonical(field: FieldName, raw: unknown): string {
  const item = String(raw).replaceAll('$${', () => '${');
  const read = FIELDS[field].kind.input.safeParse([item]);
  return (read.success && Array.isArray(read.data) && read.data[0]) || item;
}

/** Nothing at 0 for what is no node. */
function stretchOf(node: unknown): Stretch {
  const range = isNode(node) ? node.range : undefined;
  return [range?.[0] ?? 0, range?.[1] ?? 0];
}

/** The entry of a map that has a key itself, and not by a merge key. */
function ownPair(map: unknown, name: string | number): Pair | undefined {
  const pairs: readonly Pair[] = isMap(map) ? map.items : [];
  return pairs.find(({ key }) => isScalar(key) && !isMergeKey(key) && String(key.value) === name);
}
