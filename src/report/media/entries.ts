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
  const all = entries.map((entry) => {
    const { sign, word, name, id = '' } = entry;
    const head = [style[SIGN_TONES[sign]](`${sign} ${word}`), style.strong(name), style.dim(id)];
    return { entry, head: head.filter((part) => part !== '').join('  '), lines: entry.lines() };
  });
  const room = width - widestOf(entries.map(({ place = '' }) => place));
  const widest = widestOf(all.map(({ head }) => head)) + 2;
  const column = Math.min(Math.max(RIGHT_COLUMN, widest), Math.max(LEFT_AT_LEAST, room));
  const labels = widestOf(
    all.flatMap(({ lines }) => lines.flatMap((line) => ('pieces' in line ? line.label : []))),
  );
  const linesOf = (line: EntryLine) => {
    if ('pieces' in line)
      return shortened(line.pieces).map(({ tone, text }, index) => {
        return { tone, text: INDENT + pad(index === 0 ? line.label : '', labels + 2) + style[tone](text) };
      });
    const { tone = 'plain', text } = line;
    return wrap(text, width - INDENT.length).map((part) => ({ tone, text: INDENT + style[tone](part) }));
  };
  for (const { entry, head, lines } of all) {
    const place = style.dim(entry.place ?? '');
    const line = place === '' ? head : pad(head, Math.max(column, columns(head) + 2)) + place;
    const first = place !== '' && columns(line) > width ? [head, INDENT + place] : [line];
    yield {
      entry,
      lines: [...first.map((text) => ({ tone: 'plain', text }) as const), ...lines.flatMap(linesOf)],
    };
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
