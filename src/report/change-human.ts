/** Groups of changes as lines: what a reviewer sees of them. */
import type { Change } from '../model/change.ts';
import { fieldsOf, type Group } from './groups.ts';
import { type Heading, headLines, INDENT, placeText, rightColumn, SIGNS, subjectHead } from './heading.ts';
import { originText } from './origin.ts';
import { leading, prose, safeDomain, safeId } from './sanitize.ts';
import type { Style } from './style.ts';
import { count, flow, hang, type Page, pad, some, widestOf, wrap } from './text.ts';
import { alongsideRows, changeRows, type Piece, pieceText, type ValueRow } from './values.ts';
import { PLANNED, type Wording } from './wording.ts';

/** A line below a head: what leads to it, and the text that its tone paints. */
export interface BodyLine {
  readonly lead: string;
  readonly tone: 'plain' | 'add' | 'remove' | 'dim' | 'warn' | 'bad';
  readonly text: string;
}

/** A group as it stands on a page; the names of its records, where there are several, come below. */
interface LaidOut {
  readonly group: Group;
  readonly head: readonly string[];
  /** Everything else: risk, fields, reasons, notes. */
  readonly body: readonly BodyLine[];
}

/** Lays groups out so that the right parts of their heads, and the values of their fields, line up. */
export function layOut(groups: readonly Group[], page: Page, wording: Wording = PLANNED): LaidOut[] {
  const rows = groups.map((group) => rowsOf(group, wording));
  const headed = groups.map((group) => ({ group, head: headOf(group, wording) }));
  const column = rightColumn(
    headed.map(({ head }) => head),
    page,
  );
  const labelWidth = widestOf(rows.flat().map(({ label }) => label));
  return headed.map(({ group, head }, index) => ({
    group,
    head: headLines(head, column, page),
    body: bodyLines(group, rows[index] ?? [], { labelWidth, width: page.width, wording }),
  }));
}

/** The head of a group: the one record by name, several by number; of deletes it says what is lost. */
function headOf({ changes }: Group, { one }: Wording): Heading {
  const [first] = changes;
  const lost = first.action === 'delete' ? leading(first.notes[0] ?? '') : '';
  const head = { ...subjectHead(first), label: `${SIGNS[first.action]} ${one[first.action]}` };
  if (changes.length === 1) return lost === '' ? head : { ...head, right: lost };
  const files = new Set<string>();
  for (const { source } of changes) if (source !== undefined) files.add(source.file);
  const right = files.size > 1 ? count(files.size, 'file') : [...files].map(leading).join('');
  const name = count(changes.length, 'record');
  return { ...head, name, id: '', right: lost === '' ? right : `each: ${lost}` };
}

interface Body {
  readonly labelWidth: number;
  readonly width: number;
  readonly wording: Wording;
}

function bodyLines(
  group: Group,
  rows: readonly ValueRow[],
  { labelWidth, width, wording }: Body,
): BodyLine[] {
  const [first] = group.changes;
  const notes = first.action === 'delete' ? first.notes.slice(1) : first.notes;
  return [
    ...riskLines(first, width),
    ...originLines(first, width),
    ...rows.flatMap((row) => rowLines(row, labelWidth)),
    ...hung('dim', 'because ', groupCause(group, wording), width),
    ...notes.flatMap((note) => hung('dim', 'note: ', prose(note), width)),
  ];
}

/** Names all of a risky group, several a line; of any other the first few. */
export function nameLines({ changes, risky }: Group, width: number): BodyLine[] {
  if (changes.length === 1) return [];
  const room = width - INDENT.length;
  const lines = risky ? flow(changes.map(nameOf), room) : wrap(some(changes, nameOf), room);
  return lines.map((text) => ({ lead: INDENT, tone: 'plain', text }));
}

/** The name of a change in a list of many; with its id where the record will be gone. */
export function nameOf(change: Change): string {
  const name = safeDomain(change.domain);
  return change.action === 'delete' ? `${name} ${safeId(change.id)}` : name;
}

/** The line as a terminal shows it. */
export function paintLine({ lead, tone, text }: BodyLine, style: Style): string {
  return lead + (tone === 'plain' ? text : style[tone](text));
}

/** The rows of a group; where the values are not the same, this is said in their place. */
function rowsOf({ changes: [first], differing }: Group, { drawing }: Wording): readonly ValueRow[] {
  const differs: readonly Piece[] = [{ tone: 'dim', text: '(differs from record to record)' }];
  const rows = [...changeRows(fieldsOf(first), undefined, drawing), ...alongsideRows(first)];
  return rows.map((row) => (differing.has(row.field) ? { ...row, label: row.field, pieces: differs } : row));
}

function riskLines({ action, risk }: Change, width: number): BodyLine[] {
  if (action === 'delete' || risk.level === 'low') return [];
  return hung(
    risk.level === 'medium' ? 'warn' : 'bad',
    '! ',
    `${risk.level} risk: ${prose(risk.reason)}`,
    width,
  );
}

function originLines(change: Change, width: number): BodyLine[] {
  const text = originText(change);
  if (text === '') return [];
  return text.includes('drifted') ? hung('warn', '! ', text, width) : hung('dim', '', text, width);
}

export function rowLines({ label, pieces }: ValueRow, labelWidth: number): BodyLine[] {
  return pieces.map((piece, index) => ({
    lead: INDENT + pad(index === 0 ? label : '', labelWidth + 2),
    tone: piece.tone,
    text: pieceText(piece),
  }));
}

function groupCause({ changes }: Group, wording: Wording): string {
  const [first] = changes;
  if (changes.length > 1) return causeText(first, wording, 'them');
  const place = placeText(first.source);
  return causeText(first, wording, 'it', place === '' ? undefined : `${place} says`);
}

/** Why a record, or several of which it is one, are deleted; nothing for any other change. */
export function causeText(
  change: Change,
  { undeclared }: Wording,
  them = 'it',
  whoSays = 'the files say',
): string {
  if (change.action !== 'delete') return '';
  switch (change.cause) {
    case 'prune':
      return `the configuration does not declare ${them}${undeclared}`;
    case 'absent':
      return `${whoSays} "state: absent"`;
    case 'undo':
      return `the run that created ${them} is undone`;
  }
}

/** `text` behind `label`, wrapped; nothing where there is no text. */
function hung(tone: BodyLine['tone'], label: string, text: string, width: number): BodyLine[] {
  if (text === '') return [];
  return hang(label, text, width - INDENT.length).map((line) => ({ lead: INDENT, tone, text: line }));
}
