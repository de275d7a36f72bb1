import type { Entry, EntryLine, Members, ShownChange, Sign, Tone } from '../document.ts';
import { joinTexts, safe, say, type Text } from '../sanitize.ts';
import { columns, flow, hang, type Page, pad, widestOf, wrap } from '../text.ts';
import { joinShortenedTexts, moreOf, NAMED } from '../words.ts';

export const INDENT = ' '.repeat(6);

export interface BodyLine {
  readonly lead: string;
  readonly tone: Tone;
  readonly text: string;
  readonly isSigned: boolean;
}

interface LaidOut {
  readonly entry: Entry;
  readonly head: readonly string[];
  readonly body: readonly BodyLine[];
}

export function* layOut(entries: readonly Entry[], page: Page, hasLevels: boolean): Generator<LaidOut> {
  const column = rightColumn(entries, page);
  const labels = entries.reduce(
    (most, entry) => Math.max(most, widestOf((entry.values?.() ?? []).map(({ label }) => label))),
    0,
  );
  for (const entry of entries) {
    const values = (entry.values?.() ?? []).flatMap(({ label, change }) =>
      piecesOf(change, LINE).map((piece, index) => ({
        lead: INDENT + pad(index === 0 ? label : '', labels + 2),
        tone: piece.tone,
        text: pieceText(piece),
        isSigned: piece.tone === 'add' || piece.tone === 'remove',
      })),
    );
    const hung = (lines: readonly EntryLine[] = []): BodyLine[] =>
      lines.flatMap((line) => hungLines(line, page, hasLevels));
    const body = [...hung(entry.before), ...values, ...hung(entry.after)];
    yield { entry, head: headLines(entry, column, page), body };
  }
}

function hungLines({ tone, label, level, text }: EntryLine, { width }: Page, hasLevels: boolean): BodyLine[] {
  const said = hasLevels && level !== undefined ? say`${level}${text}` : text;
  const lines = hang(label === undefined ? '' : `${label} `, said, width - INDENT.length);
  return lines.map((line) => ({ lead: INDENT, tone, text: line, isSigned: label === '!' }));
}

const RIGHT_COLUMN = 50;
const LEFT_AT_LEAST = 30;

function rightColumn(entries: readonly Entry[], { width }: Page): number {
  const wanted = Math.max(RIGHT_COLUMN, widestOf(entries.map(leftText)) + 2);
  return Math.min(wanted, Math.max(LEFT_AT_LEAST, width - widestOf(entries.map(rightText))));
}

function headLines(entry: Entry, column: number, { style, width }: Page): string[] {
  const { sign, paint, word, name, id = NONE } = entry;
  const left = leftText(entry);
  const right = rightText(entry);
  const painted = [style[paint](`${sign} ${word}`), style.strong(name), style.dim(id)];
  const line = painted.filter((part) => part !== '').join('  ');
  if (right === '') return [line];
  const gap = Math.max(2, column - columns(left));
  if (columns(left) + gap + columns(right) > width) return [line, INDENT + style.dim(right)];
  return [line + ' '.repeat(gap) + style.dim(right)];
}

const NONE = say``;

function leftText({ sign, word, name, id = NONE }: Entry): string {
  return [`${sign} ${word}`, name, id].filter((part) => part !== '').join('  ');
}

function rightText({ loss, place = NONE }: Entry): string {
  return loss ?? place;
}

export function memberLines({ sign }: Entry, { count, isRisky, at }: Members, { width }: Page): string[] {
  const room = width - INDENT.length;
  const names = Array.from({ length: isRisky ? count : Math.min(count, NAMED + 1) }, (_, index) =>
    nameOf(sign, at(index)),
  );
  if (isRisky) return flow(names, room);
  const more = count > NAMED ? ` … and ${count - NAMED} more` : '';
  return wrap(joinTexts(names.slice(0, NAMED)) + more, room);
}

/** Adds the id if the record will no longer exist. */
export function nameOf(sign: Sign, { name, id }: Pick<Entry, 'name' | 'id'>): Text {
  return sign !== '-' || id === undefined ? name : say`${name} ${id}`;
}

/** An added or removed item of a list, or a changed value; `text` has no sign of its own. */
export interface Piece {
  readonly tone: 'plain' | 'add' | 'remove' | 'dim';
  readonly text: Text;
}

/** Limits a list, in items, and a value, in characters. */
export interface Room {
  readonly items: number;
  readonly characters: number;
}

const LINE: Room = { items: NAMED, characters: 120 };

const SIGNS = { plain: say``, dim: say``, add: say`+ `, remove: say`- ` };

export function pieceText({ tone, text }: Piece): Text {
  return say`${SIGNS[tone]}${text}`;
}

export function piecesOf(change: ShownChange, room: Room): Piece[] {
  if (change.kind === 'note') return [{ tone: 'dim', text: change.text }];
  const plain = (text: Text): Piece => ({ tone: 'plain', text });
  if (change.kind === 'list') {
    const { before, after, isDrift } = change;
    if (!isDrift) return listPieces(before ?? [], after, room);
    const all = (items: readonly Text[]) =>
      items.length === 0 ? say`[]` : joinShortenedTexts(cut(items, room), room.items);
    if (before === undefined) return [plain(all(after))];
    return [plain(say`is ${all(before)}`), plain(say`should be ${all(after)}`)];
  }
  const [after = change.after, before] = cut([change.after, ...(change.before ? [change.before] : [])], room);
  if (before === undefined) return [plain(after)];
  return [plain(change.isDrift ? say`is ${before}, should be ${after}` : say`${before} → ${after}`)];
}

function listPieces(had: readonly Text[], has: readonly Text[], room: Room): Piece[] {
  const pieces = (tone: Piece['tone'], items: readonly Text[], others: readonly Text[]): Piece[] => {
    const kept = new Set(others);
    const own = items.filter((item) => !kept.has(item));
    const shown = [...cut(own.slice(0, room.items), room), ...moreOf(own.length - room.items)];
    return shown.map((text) => ({ tone, text }));
  };
  const all = [...pieces('remove', had, has), ...pieces('add', has, had)];
  return all.length === 0 ? [{ tone: 'plain', text: say`[]` }] : all;
}

function cut(texts: readonly Text[], { characters }: Room): Text[] {
  return texts.map((text) => (text.length > characters ? safe(text, characters) : text));
}
