/** Lines of a recorded run. */
import { INDENT } from './heading.ts';
import type { Style } from './style.ts';
import { pad } from './text.ts';
import { pieceText, type ValueRow } from './values.ts';

/** A line below a head: what leads to it, and the text that its tone paints. */
export interface BodyLine {
  readonly lead: string;
  readonly tone: 'plain' | 'add' | 'remove' | 'dim' | 'warn' | 'bad';
  readonly text: string;
}

/** The line as a terminal shows it. */
export function paintLine({ lead, tone, text }: BodyLine, style: Style): string {
  return lead + style[tone](text);
}

export function rowLines({ label, pieces }: ValueRow, labelWidth: number): BodyLine[] {
  return pieces.map((piece, index) => ({
    lead: INDENT + pad(index === 0 ? label : '', labelWidth + 2),
    tone: piece.tone,
    text: pieceText(piece),
  }));
}
