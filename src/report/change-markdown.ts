/** Changes as diff fences: one section a level of risk, a line's first column its color. */
import type { Action, Change } from '../model/change.ts';
import { RISK_LEVELS, type RiskLevel } from '../model/risk.ts';
import { type BodyLine, layOut, nameOf } from './change-human.ts';
import { type Group, groupChanges } from './groups.ts';
import { INDENT } from './heading.ts';
import { fenced, folded } from './markdown.ts';
import { plain } from './style.ts';
import { count, flow, moreLine, type Page } from './text.ts';
import type { Wording } from './wording.ts';

/** What a comment shows without scrolling sideways. */
export const FENCE: Page = { style: plain, width: 100, fold: Number.POSITIVE_INFINITY };

/** So many names of a section stand open; the others are folded away. */
const NAMES_OPEN = 25;
/** Columns, where the names of a list are that long; two of them fit. */
const WIDEST_NAME = 47;
/** A section of routine changes with more lines is folded away. */
const LINES_OPEN = 60;

/** One group as it will stand: its lines, and the names of its records where there are several. */
export interface Edit {
  readonly group: Group;
  readonly level: RiskLevel;
  readonly lines: readonly string[];
  /** How many names there are. */
  readonly names: number;
  /** The first so many of them. */
  readonly firstNames: (count: number) => readonly string[];
}

/** How much of an edit is shown. */
export interface ShownEdit {
  readonly edit: Edit;
  readonly names: number;
}

/** What GitHub and GitLab color in a diff: `!` is what neither comes nor goes. */
const DIFF_SIGNS = { create: '+', update: '!', delete: '-' } as const satisfies Record<Action, string>;

/** The edits of a plan, the gravest first. */
export function editsOf(changes: readonly Change[], wording: Wording): readonly Edit[] {
  return layOut(groupChanges(changes), FENCE, wording).map(({ group, head: [head = '', ...rest], body }) => {
    const [first] = group.changes;
    const sign = DIFF_SIGNS[first.action];
    return {
      group,
      level: first.risk.level,
      lines: [sign + head.slice(1), ...rest, ...body.map((line) => diffLine(line, sign))],
      names: group.changes.length === 1 ? 0 : group.changes.length,
      firstNames: namesOf(group),
    };
  });
}

/** Makes no more names than anybody asks for: of very many, few have room. */
function namesOf({ changes }: Group): Edit['firstNames'] {
  const made: string[] = [];
  return (count) => {
    for (const change of changes.slice(made.length, count)) made.push(nameOf(change));
    return made.slice(0, count);
  };
}

/** One section for each level of risk that `shown` has; `totals` are the plan's changes by level. */
export function changeSections(
  shown: readonly ShownEdit[],
  totals: Readonly<Record<RiskLevel, number>>,
  isDrift: boolean,
): string[][] {
  const low = isDrift ? 'Differences' : 'Routine';
  return RISK_LEVELS.flatMap((level) => {
    const edits = shown.filter(({ edit }) => edit.level === level);
    if (edits.length === 0) return [];
    const told = count(totals[level], isDrift ? 'record' : 'change');
    const title = level === 'low' ? low : `${level[0]?.toUpperCase()}${level.slice(1)} risk`;
    const body = sectionBody(edits);
    const lines = edits.reduce((sum, { edit }) => sum + edit.lines.length, 0);
    const isLong = !edits.some(({ edit }) => edit.group.risky) && lines > LINES_OPEN;
    return [[`### ${title}: ${told}`], isLong ? folded(`Show ${told}`, body) : body];
  });
}

/**
 * Fences with as many edits as stand together. The folded names of one come right behind it, and the single records for
 * which there is no room come last.
 */
function sectionBody(shown: readonly ShownEdit[]): string[] {
  const blocks: string[][] = [];
  const later: Edit[] = [];
  let open: string[] = [];
  let room = NAMES_OPEN;
  for (const one of shown) {
    const { edit } = one;
    if (edit.names === 0 && room === 0) {
      later.push(edit);
      continue;
    }
    const names = namesOpen(one, room);
    room -= edit.names === 0 ? 1 : names.length;
    open.push(...edit.lines, ...inlineNames(edit, names));
    const rest = namesShown(one).slice(names.length);
    if (rest.length === 0) continue;
    const title =
      names.length === 0 ? `The ${edit.names} records` : `${edit.names - names.length} more records`;
    blocks.push(fenced('diff', open), folded(title, fenced('', flow(rest, FENCE.width, WIDEST_NAME))));
    open = [];
  }
  if (open.length > 0) blocks.push(fenced('diff', open));
  if (later.length > 0) {
    const lines = later.flatMap((edit) => edit.lines);
    blocks.push(folded(`Show ${count(later.length, 'more change')}`, fenced('diff', lines)));
  }
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

/** Of names that do not all fit, as many as do where each is a risk, otherwise none. */
function namesOpen(shown: ShownEdit, room: number): readonly string[] {
  const { group, names } = shown.edit;
  if (names <= room) return namesShown(shown);
  return group.risky ? shown.edit.firstNames(Math.min(shown.names, room)) : [];
}

function inlineNames({ group }: Edit, names: readonly string[]): string[] {
  const sign = DIFF_SIGNS[group.changes[0].action];
  const lines = flow(names, FENCE.width - INDENT.length, WIDEST_NAME);
  return lines.map((text) => diffLine({ lead: INDENT, tone: 'plain', text }, sign));
}

/** The names that have room in the whole text, and how many have none. */
function namesShown({ edit, names }: ShownEdit): readonly string[] {
  return names === 0 ? [] : [...edit.firstNames(names), ...moreLine(edit.names - names)];
}

const TONE_SIGNS: Readonly<Record<BodyLine['tone'], string | undefined>> = {
  add: '+',
  remove: '-',
  warn: '!',
  bad: '!',
  dim: ' ',
  plain: undefined,
};

/** The line with its sign in the first column, and so without the one that it has for a terminal. */
function diffLine({ lead, tone, text }: BodyLine, sign: string): string {
  const isSigned = tone !== 'plain' && tone !== 'dim';
  return (TONE_SIGNS[tone] ?? sign) + lead.slice(1) + (isSigned ? text.slice(2) : text);
}
