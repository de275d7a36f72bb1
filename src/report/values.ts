/** Settings as a person reads them: one row a field, in pieces that each renderer lays out its own way. */
import {
  type Change,
  type FieldChange,
  type FieldChanges,
  isSecretChange,
  type ValueChange,
} from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import { SENSITIVE } from '../model/secret.ts';
import { alongsideOf } from './groups.ts';
import { safe } from './sanitize.ts';
import { moreLine, NAMED, some } from './text.ts';

/** An item of a list that comes or goes, or a value and its way; `text` has no sign of its own. */
export interface Piece {
  readonly tone: 'plain' | 'add' | 'remove' | 'dim';
  readonly text: string;
}

/** What happens to one field; each piece is a line of its own. */
export interface ValueRow {
  readonly field: FieldName;
  readonly label: string;
  readonly pieces: readonly Piece[];
}

/** How much is shown of a list, in items, and of a value, in characters. */
export interface Room {
  readonly items: number;
  readonly characters: number;
}

const LINE: Room = { items: NAMED, characters: 120 };

/** Where nothing needs to fit a line; the bound is against values that nobody would read. */
export const WHOLE: Room = { items: Number.POSITIVE_INFINITY, characters: 10_000 };

const SIGNS: Readonly<Record<Piece['tone'], string>> = { plain: '', dim: '', add: '+ ', remove: '- ' };

/** A piece as text alone. */
export function pieceText({ tone, text }: Piece): string {
  return SIGNS[tone] + text;
}

/** Draws what becomes of a list of items; `had` is missing where none is known. */
export type DrawList = (
  had: readonly string[] | undefined,
  has: readonly string[],
  room: Room,
) => readonly Piece[];

/** How a list, and one value, on its way are drawn. */
export interface Drawing {
  readonly list: DrawList;
  readonly way: (before: string, after: string) => string;
}

/** Where nothing else is asked for. */
export const ARROWS: Drawing = {
  list: removedThenAdded,
  way: (before, after) => `${before} → ${after}`,
};

/** One row for each field that changes, in the order of the field table. */
export function changeRows(fields: FieldChanges, room: Room = LINE, drawing: Drawing = ARROWS): ValueRow[] {
  return rows(fields, (name, change) => changePieces(name, change, room, drawing));
}

/** One row for each value that is sent without being compared, because the service hides it. */
export function alongsideRows(change: Change, room: Room = LINE): ValueRow[] {
  return rows(alongsideOf(change), (name, field) => {
    const text = isSecretChange(field) ? secretText(field.ref) : valueText(name, field.after, room);
    return [{ tone: 'dim', text: `${text}  (sent along)` }];
  });
}

function rows(
  fields: FieldChanges,
  piecesOf: (name: FieldName, change: FieldChange) => readonly Piece[],
): ValueRow[] {
  return FIELD_NAMES.flatMap((field) => {
    const change = fields[field];
    return change === undefined
      ? []
      : [{ field, label: labelOf(field, change), pieces: piecesOf(field, change) }];
  });
}

/** One value in one line. A secret is masked by its field, whatever it holds. */
export function valueText(name: FieldName, value: Value, room: Room = LINE): string {
  const { kind, secret } = FIELDS[name];
  if (secret) return secretText(value);
  const shown = kind.show(value);
  if (typeof shown === 'string') return safe(shown, room.characters);
  if (shown.length === 0) return '[]';
  return some(shown, (item) => safe(item, room.characters), room.items);
}

function secretText(value: Value): string {
  return value === null ? 'null' : SENSITIVE;
}

function changePieces(
  name: FieldName,
  change: FieldChange,
  room: Room,
  { list, way }: Drawing,
): readonly Piece[] {
  if (isSecretChange(change)) {
    const text = change.ref === null ? way(SENSITIVE, 'null') : SENSITIVE;
    return [{ tone: 'plain', text }];
  }
  if (Array.isArray(change.after) && !FIELDS[name].secret) return listPieces(name, change, room, list);
  return [{ tone: 'plain', text: scalarText(name, change, room, way) }];
}

function scalarText(name: FieldName, change: ValueChange, room: Room, way: Drawing['way']): string {
  const presence = isPresence(name, change);
  const text = (value: Value): string => (presence ? String(value !== null) : valueText(name, value, room));
  const { before, after } = change;
  return before === undefined ? text(after) : way(text(before), text(after));
}

function listPieces(
  name: FieldName,
  { before, after }: ValueChange,
  room: Room,
  draw: DrawList,
): readonly Piece[] {
  const items = (value: Value): readonly string[] => [FIELDS[name].kind.show(value)].flat();
  const pieces = draw(before === undefined ? undefined : items(before), items(after), room);
  return pieces.length === 0 ? [{ tone: 'plain', text: '[]' }] : pieces;
}

/** Removed items, then added ones; nothing where there are neither. */
export function removedThenAdded(had: readonly string[] = [], has: readonly string[], room: Room): Piece[] {
  const without = (some: readonly string[], others: readonly string[]): string[] => {
    const left = new Set(others);
    return some.filter((item) => !left.has(item));
  };
  return [...itemPieces('remove', without(had, has), room), ...itemPieces('add', without(has, had), room)];
}

function itemPieces(tone: 'add' | 'remove', items: readonly string[], room: Room): Piece[] {
  const shown = items.slice(0, room.items).map((item) => safe(item, room.characters));
  return [...shown, ...moreLine(items.length - shown.length)].map((text) => ({ tone, text }));
}

/** The YAML key that says it best: `favorite` where presence is what changes, else the field's name. */
function labelOf(name: FieldName, change: FieldChange): string {
  return (!isSecretChange(change) && isPresence(name, change) && FIELDS[name].presenceKey) || name;
}

/** Where a time is known on either side, the change is about that: a file can have it, and `null`. */
function isPresence(name: FieldName, { before, after }: ValueChange): boolean {
  return (
    FIELDS[name].presenceKey !== undefined &&
    (after === true || (typeof before !== 'string' && typeof after !== 'string'))
  );
}
