/** Lays out changes as lines, for a terminal and for the code blocks of a comment. */
import { type Entry, type EntryLine, type Piece, SIGN_TONES, type Tone } from '../document.ts';
import { safe, say, type Text } from '../sanitize.ts';
import { columns, hang, type Page, pad, widestOf } from '../text.ts';
import { moreOf, NAMED } from '../words.ts';

export const INDENT = ' '.repeat(6);

interface Line {
  readonly tone: Tone;
  readonly text: string;
}

export interface Drawn {
  readonly entry: Entry;
  readonly head: readonly string[];
  readonly body: readonly Line[];
}

export function* drawn(entries: readonly Entry[], page: Page): Generator<Drawn> {
  const wanted = Math.max(RIGHT_COLUMN, widestOf(entries.map(leftText)) + 2);
  const room = page.width - widestOf(entries.map(({ place = '' }) => place));
  const column = Math.min(wanted, Math.max(LEFT_AT_LEAST, room));
  const labels = entries.reduce(
    (most, entry) => Math.max(most, widestOf((entry.values?.() ?? []).map(({ label }) => label))),
    0,
  );
  for (const entry of entries) {
    const values = (entry.values?.() ?? []).flatMap(({ label, pieces }) =>
      shortened(pieces).map(({ tone, text }, index): Line => {
        const lead = INDENT + pad(index === 0 ? label : '', labels + 2);
        return { tone, text: lead + page.style[tone](text) };
      }),
    );
    const hung = ({ tone, label, text }: EntryLine): Line[] =>
      hang(label === undefined ? '' : `${label} `, text, page.width - INDENT.length).map((line) => ({
        tone,
        text: INDENT + page.style[tone](line),
      }));
    const body = [...(entry.before ?? []).flatMap(hung), ...values, ...(entry.after ?? []).flatMap(hung)];
    yield { entry, head: headLines(entry, column, page), body };
  }
}

const [RIGHT_COLUMN, LEFT_AT_LEAST, MAX_PIECE] = [50, 30, 120];

/** Shortens a long list to its first removed and first added items. */
function shortened(pieces: readonly Piece[]): Piece[] {
  const tones = [...new Set(pieces.map(({ tone }) => tone))];
  return tones.flatMap((tone) => {
    const texts = pieces.filter((piece) => piece.tone === tone).map(({ text }) => safe(text, MAX_PIECE));
    return [...texts.slice(0, NAMED), ...moreOf(texts.length - NAMED)].map((text) => ({ tone, text }));
  });
}

function headLines(entry: Entry, column: number, { style, width }: Page): string[] {
  const { sign, word, name, id = say``, place = say`` } = entry;
  const painted = [style[SIGN_TONES[sign]](`${sign} ${word}`), style.strong(name), style.dim(id)];
  const line = painted.filter((part) => part !== '').join('  ');
  if (place === '') return [line];
  const left = columns(leftText(entry));
  const gap = Math.max(2, column - left);
  if (left + gap + columns(place) > width) return [line, INDENT + style.dim(place)];
  return [line + ' '.repeat(gap) + style.dim(place)];
}

function leftText({ sign, word, name, id = say`` }: Entry): string {
  return [`${sign} ${word}`, name, id].filter((part) => part !== '').join('  ');
}

/** Adds the ID if the record will be deleted. */
export function namesOf({ sign, members = [] }: Entry): Text[] {
  return members.map(({ name, id }) => (sign !== '-' || id === undefined ? name : say`${name} ${id}`));
}
