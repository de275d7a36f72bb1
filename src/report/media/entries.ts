/** Lays out changes as lines, for a terminal and for the code blocks of a comment. */
import { type Entry, type EntryLine, type Piece, SIGN_TONES, type Tone } from '../document.ts';
import { MAX_NAMED, moreOf, safe, say, type Text } from '../sanitize.ts';
import { columns, type Page, pad, widestOf, wrap } from '../text.ts';

export const INDENT = ' '.repeat(6);

interface Drawn {
  readonly entry: Entry;
  readonly lines: readonly { readonly tone: Tone; readonly text: string }[];
}

export function* drawn(entries: readonly Entry[], { style, width }: Page): Generator<Drawn> {
  const heads = entries.map(({ sign, word, name, id = '' }) => {
    const parts = [style[SIGN_TONES[sign]](`${sign} ${word}`), style.strong(name), style.dim(id)];
    return parts.filter((part) => part !== '').join('  ');
  });
  const room = width - widestOf(entries.map(({ place = '' }) => place));
  const column = Math.min(Math.max(RIGHT_COLUMN, widestOf(heads) + 2), Math.max(LEFT_AT_LEAST, room));
  const labels = widestOf(
    entries.flatMap(({ lines }) => lines().flatMap((line) => ('pieces' in line ? line.label : []))),
  );
  const linesOf = (line: EntryLine) => {
    if ('pieces' in line)
      return shortened(line.pieces).map(({ tone, text }, index) => {
        return { tone, text: INDENT + pad(index === 0 ? line.label : '', labels + 2) + style[tone](text) };
      });
    const { tone = 'plain', text } = line;
    return wrap(text, width - INDENT.length).map((part) => ({ tone, text: INDENT + style[tone](part) }));
  };
  for (const [at, entry] of entries.entries()) {
    const head = heads[at] ?? '';
    const place = style.dim(entry.place ?? '');
    const line = place === '' ? head : pad(head, Math.max(column, columns(head) + 2)) + place;
    const isTooLong = place !== '' && columns(line) > width;
    const first = { tone: 'plain', text: isTooLong ? head : line } as const;
    const second = isTooLong ? [{ tone: 'dim', text: INDENT + place } as const] : [];
    yield { entry, lines: [first, ...second, ...entry.lines().flatMap(linesOf)] };
  }
}

const [RIGHT_COLUMN, LEFT_AT_LEAST, MAX_PIECE] = [50, 30, 120];

/** Shortens a long list to its first removed and first added items. */
function shortened(pieces: readonly Piece[]): Piece[] {
  const tones = [...new Set(pieces.map(({ tone }) => tone))];
  return tones.flatMap((tone) => {
    const texts = pieces.filter((piece) => piece.tone === tone).map(({ text }) => safe(text, MAX_PIECE));
    return [...texts.slice(0, MAX_NAMED), ...moreOf(texts.length - MAX_NAMED)].map((text) => ({
      tone,
      text,
    }));
  });
}

export function namesOf({ sign, members = [] }: Entry, most = members.length): Text[] {
  return members.slice(0, most).map((member) => {
    const { name, id } = member();
    return sign === '-' && id ? say`${name} ${id}` : name;
  });
}
