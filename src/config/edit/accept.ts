/** Writes values of the service into YAML files (decision: "Accepted drift is written back in place"). */
import { isAlias, isMap, isNode, isScalar, isSeq, Pair, visit, type YAMLSeq } from 'yaml';
import { FIELDS, type FieldName, PRIVACY } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { RecordOrigin } from '../read/merge.ts';
import { isPassword } from '../read/records.ts';
import { isMap as isObject, isRow, type Mapping, type Path, type Source } from '../read/source.ts';
import { fieldOf } from '../schema/keys.ts';
import { referencedNames } from '../secrets/substitute.ts';
import { MAX_PARSED } from '../yaml/fast/read.ts';
import { composeYaml, isMergeKey } from '../yaml/syntax.ts';
import type { Accepted } from './drift.ts';

type NewValue = Accepted['values'][number];
type WrittenEntry = readonly [key: string, written: Value];
type Edit = readonly [start: number, end: number, by: string];

export interface Writing {
  entryOf(value: NewValue, key?: string): WrittenEntry;
  yaml(written: Value): string;
  yamlEntry(entry: WrittenEntry, indent: string): string;
  whyUnwritable(field: FieldName, value: Value): string | undefined;
}

const SHARED = 'cannot be written: other values use it by an alias';
const UNUSUAL = 'is written in a form that this command does not edit';
const TOO_LARGE = `is in a file larger than ${MAX_PARSED / 1e6} MB, which this command does not edit`;
const LOCKED = 'cannot change while the record declares a password: remove the password first';

/**
 * Returns the edited text of `into`, the fields of its records that could not be written, and domains that other
 * files declare. A reason continues the sentence "FIELD …".
 */
export function updateFile(
  accepted: readonly Accepted[],
  originOf: (index: number) => RecordOrigin,
  into: string,
  writing: Writing,
) {
  let editor: ReturnType<typeof createEditor> | undefined;
  const others = new Map<string, string[]>();
  const records = accepted.flatMap((record): Accepted[] => {
    const origin = originOf(record.index);
    const { file, document } = origin.at.scope;
    if (file.absolute !== into && !isRow(origin.at.scope)) {
      others.set(file.path, [...(others.get(file.path) ?? []), record.desired.domain]);
      return [];
    }
    const refused = [...record.refused];
    const values = record.values.filter((value) => {
      let reason = whyNot(record, origin, value, writing);
      if (reason === undefined) {
        editor ??= createEditor(document.source, writing);
        reason = editor.edit(origin, value);
      }
      if (reason !== undefined) refused.push({ field: value.field, reason });
      return reason === undefined;
    });
    return [{ ...record, values, refused }];
  });
  return { records, others, file: editor?.edited() };
}

/** Returns the reason that a value is not written. For example, another program generates the rows of a bulk file. */
function whyNot(
  { desired: { settings } }: Accepted,
  { at: { scope }, raw }: RecordOrigin,
  value: NewValue,
  { entryOf, yaml, whyUnwritable }: Writing,
): string | undefined {
  if (isRow(scope)) {
    const [key, written] = entryOf(value);
    return `is not written into ${scope.file.path}: the service has ${key}: ${yaml(written)}`;
  }
  if (Buffer.byteLength(scope.document.source.text) > MAX_PARSED) return TOO_LARGE;
  const own = raw();
  const isLocked = isPassword(settings.password) && isObject(own) && Boolean(own.password);
  if (isLocked && value.field === 'privacy' && value.value !== PRIVACY.password) return LOCKED;
  return whyUnwritable(value.field, value.value);
}

function createEditor(source: Source, { entryOf, yaml, yamlEntry }: Writing) {
  const { text } = source;
  const tree = composeYaml(source);
  if (!('contents' in tree)) throw new Error('A file that was loaded is not YAML.');
  const lineFeed = text.includes('\r\n') ? '\r\n' : '\n';
  const edits: Edit[] = [];
  /** Closing text of records that were only a domain. It must follow all additions. */
  const closing = new Map<unknown, Edit>();
  const used = new Set<string>();
  visit(tree, { Alias: (_, { source: anchor }) => void used.add(anchor) });
  const isUsed = (node: unknown): boolean => isNode(node) && used.has(node.anchor ?? '');
  const lineStart = (offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
  const afterLine = (offset: number): number => text.indexOf('\n', offset) + 1 || text.length;
  const lineEnd = (offset: number): number => offset + text.slice(offset, afterLine(offset)).trimEnd().length;
  const replace = (...one: Edit): undefined => void edits.push(one);
  const insert = (at: number, what: string): undefined => replace(at, at, what);

  const nodeAt = (path: Path): unknown => {
    let node: unknown = tree.contents;
    for (const step of [...path, undefined]) {
      if (isAlias(node)) return 'cannot be written: the record is an alias';
      if (isUsed(node)) return SHARED;
      if (step !== undefined) node = isSeq(node) ? node.items[Number(step)] : ownPair(node, step)?.value;
    }
    return node;
  };

  function edit({ at: { path }, raw }: RecordOrigin, value: NewValue): string | undefined {
    const node = nodeAt(path);
    if (typeof node === 'string') return node;
    const written = raw();
    const own: Mapping = isObject(written) ? written : {};
    const name = Object.keys(own).find((key) => fieldOf(key) === value.field) ?? '';
    const pair = ownPair(node, name);
    const entry = entryOf(value, name);
    if (pair !== undefined && name !== entry[0]) return `needs the key ${entry[0]}`;
    if (pair !== undefined) return editValue(pair, own[name], value.field, entry[1]);
    const isFlow = (isMap(node) ? node : (nodeAt(path.slice(0, -1)) as YAMLSeq)).flow === true;
    return addKey(node, isFlow, entry);
  }

  /** Adds a key after the domain if the domain is on one line. A record that is only a domain becomes a map. */
  function addKey(node: unknown, isFlow: boolean, entry: WrittenEntry): string | undefined {
    const domain = isMap(node) ? ownPair(node, 'domain') : new Pair(node, node);
    const [[start], [, end]] = [rangeOf(domain?.key), rangeOf(domain?.value)];
    if (end === 0 || text.slice(start, end).includes('\n')) return UNUSUAL;
    if (isScalar(node) && !closing.has(node)) {
      const [before, after] = isFlow ? ['{ domain: ', ' }'] : ['domain: ', ''];
      insert(start, before);
      closing.set(node, [end, end, after]);
    }
    if (isFlow) return insert(end, `, ${entry[0]}: ${yaml(entry[1])}`);
    const lines = yamlEntry(entry, ' '.repeat(start - lineStart(start)));
    return insert(lineEnd(end), lineFeed + lines.replaceAll('\n', lineFeed));
  }

  function editValue({ key, value }: Pair, raw: unknown, field: FieldName, written: Value) {
    if (isUsed(value)) return SHARED;
    const own = rangeOf(value);
    const old = text.slice(...own);
    if (referencedNames(old).length > 0) return 'is written with a variable';
    const afterColon = text.indexOf(':', rangeOf(key)[1]) + 1;
    const items = Array.isArray(raw) ? raw.map((item) => canonical(field, item)) : undefined;
    if (isSeq(value) && items && Array.isArray(written)) return editList(value, items, written, afterColon);
    if (old === '') return insert(afterColon, ` ${yaml(written)}`);
    return /[\n|>]/.test(old) ? UNUSUAL : replace(...own, yaml(written));
  }

  /** Changes a list to `items`. Items that stay keep their order, and their comments if each item has its own line. */
  function editList(list: YAMLSeq, items: readonly string[], written: readonly string[], afterColon: number) {
    if (list.flow) {
      const own = rangeOf(list);
      const all = [...items.filter((item) => written.includes(item)), ...written];
      return text.slice(...own).includes('#') ? UNUSUAL : replace(...own, yaml([...new Set(all)]));
    }
    const places = list.items.map(rangeOf);
    const gone = places.filter((_, index) => !written.includes(items[index] ?? ''));
    const last = places.findLast((place) => !gone.includes(place));
    const [first = 0] = last ?? places[0] ?? [];
    const lead = text.slice(lineStart(first), first);
    if (!/^ *- +$/.test(lead) || places.some((place) => text.slice(...place).includes('\n'))) return UNUSUAL;
    const lines = written.filter((item) => !items.includes(item)).map((item) => lead + yaml(item));
    if (written.length === 0) insert(afterColon, ' []');
    else if (last === undefined) insert(lineStart(first), lines.map((line) => line + lineFeed).join(''));
    else insert(lineEnd(last[1]), lines.map((line) => lineFeed + line).join(''));
    for (const [start, end] of gone) replace(lineStart(start), afterLine(end), '');
    return undefined;
  }

  function edited() {
    let [after, at] = ['', 0];
    for (const [start, end, by] of [...edits, ...closing.values()].sort(([a], [b]) => a - b)) {
      after += text.slice(at, start) + by;
      at = end;
    }
    after += text.slice(at);
    return after === text ? undefined : { source, after };
  }

  return { edit, edited };
}

function canonical(field: FieldName, raw: unknown): string {
  const item = String(raw).replaceAll('$${', () => '${');
  const read = FIELDS[field].kind.input.safeParse([item]);
  return (read.success && Array.isArray(read.data) && read.data[0]) || item;
}

function rangeOf(node: unknown) {
  const range = isNode(node) ? node.range : undefined;
  return [range?.[0] ?? 0, range?.[1] ?? 0] as const;
}

function ownPair(map: unknown, name: string | number): Pair | undefined {
  const pairs: readonly Pair[] = isMap(map) ? map.items : [];
  return pairs.find(({ key }) => isScalar(key) && !isMergeKey(key) && String(key.value) === name);
}
