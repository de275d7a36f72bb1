/** Lists in YAML: items come and go at their places, and those that stay keep their comments. */
import { FIELDS, type FieldName } from '../../model/field-table.ts';
import type { Range } from '../read/source.ts';
import { type Edit, lineEndAt } from './edits.ts';
import { UNUSUAL, type Writing } from './writing.ts';

/** A list as it is written. */
export interface WrittenList {
  readonly text: string;
  readonly range: Range;
  readonly items: readonly Range[];
  readonly raw: readonly unknown[];
  readonly field: FieldName;
}

/** The new items: those that are there already in their order, then the others. */
export function reordered(
  { raw, field }: Pick<WrittenList, 'raw' | 'field'>,
  written: readonly string[],
): readonly string[] {
  const wanted = new Set(written);
  const there = raw.map((item) => canonical(field, item)).filter((item) => wanted.has(item));
  return [...new Set([...there, ...written])];
}

/** An item as the service has it. */
function canonical(field: FieldName, raw: unknown): string {
  const item = String(raw).replaceAll('$${', () => '${');
  const read = FIELDS[field].kind.input.safeParse([item]);
  return (read.success && Array.isArray(read.data) && read.data[0]) || item;
}

/** Which items stay, and which are new. */
function changesOf({ raw, field }: WrittenList, written: readonly string[]) {
  const had = raw.map((item) => canonical(field, item));
  const wanted = new Set(written);
  const stays = had.map((item) => wanted.has(item));
  return { stays, lastStays: stays.lastIndexOf(true), added: written.filter((item) => !had.includes(item)) };
}

/** A list with an item on each line; `colonEnd` is where the colon of its key ends. */
export function editBlockList(
  list: WrittenList,
  written: readonly string[],
  { yaml }: Writing,
  colonEnd: () => number | undefined,
): readonly Edit[] | string {
  const { text, items } = list;
  if (items.some(({ start, end }) => text.slice(start, end).includes('\n'))) return UNUSUAL;
  const { stays, lastStays, added } = changesOf(list, written);
  const lines = items.map(({ start, end }) => lineOf(text, start, end));
  const edits = lines.flatMap((line, index): Edit[] => (stays[index] ? [] : [{ ...line, text: '' }]));
  const [first, model] = [lines[0], items[Math.max(lastStays, 0)]];
  const colon = colonEnd();
  if (first === undefined || model === undefined || colon === undefined) return UNUSUAL;
  if (written.length === 0) return [{ start: colon, end: colon, text: ' []' }, ...edits];
  const { at, lineEnd } = lineEndAt(text, model.end);
  const lead = text.slice(text.lastIndexOf('\n', model.start - 1) + 1, model.start);
  if (!/^ *- +$/.test(lead)) return UNUSUAL;
  const put = added.map((item) => lead + yaml(item));
  if (lastStays === -1) {
    return [{ ...first, end: first.start, text: put.map((line) => line + lineEnd).join('') }, ...edits];
  }
  return [{ start: at, end: at, text: put.map((line) => lineEnd + line).join('') }, ...edits];
}

/** The line that holds a range, its end included. */
function lineOf(text: string, start: number, end: number): Range {
  const feed = text.indexOf('\n', end);
  return { start: text.lastIndexOf('\n', start - 1) + 1, end: feed === -1 ? text.length : feed + 1 };
}

/** A list between brackets that takes several lines. A comma may be behind its last item. */
export function editFlowList(
  list: WrittenList,
  written: readonly string[],
  { yaml }: Writing,
): readonly Edit[] {
  const { text, range, items } = list;
  const { stays, lastStays, added } = changesOf(list, written);
  const gone = items.flatMap((item, index): Edit[] => {
    if (stays[index]) return [];
    const { afterComma, line } = aroundItem(text, item, range);
    return [{ ...(line ?? { start: item.start, end: afterComma }), text: '' }];
  });
  const [last, put] = [items[lastStays], added.map(yaml)];
  if (put.length === 0) return gone;
  if (last === undefined) return [insertion(range.start + 1, put.join(', ')), ...gone];
  const { hasComma, line } = aroundItem(text, last, range);
  if (line === undefined) return [insertion(last.end, `, ${put.join(', ')}`), ...gone];
  const { at, lineEnd } = lineEndAt(text, last.end);
  const lead = lineEnd + text.slice(line.start, last.start);
  const lines = put.map((item) => lead + item).join(',');
  const comma = hasComma ? [] : [insertion(last.end, ',')];
  return [...comma, insertion(at, hasComma ? `${lines},` : lines), ...gone];
}

function insertion(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

const COMMA = /\s*,[ \t]*/y;
const REST = /[ \t]*(?:#[^\n]*)?\r?\n/y;

/** The comma behind an item, and the line of one that has a line for itself, its end and comment included. */
function aroundItem(text: string, { start, end }: Range, list: Range) {
  COMMA.lastIndex = end;
  const hasComma = COMMA.test(text);
  const afterComma = hasComma ? COMMA.lastIndex : end;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  REST.lastIndex = afterComma;
  const isAlone = lineStart > list.start && text.slice(lineStart, start).trim() === '' && REST.test(text);
  return { hasComma, afterComma, line: isAlone ? { start: lineStart, end: REST.lastIndex } : undefined };
}
