/** Changes as diff fences: one section a level of risk, a line's first column its color. */
import type { Action, Change } from '../model/change.ts';
import { RISK_LEVELS, type RiskLevel } from '../model/risk.ts';
import { type BodyLine, layOut, nameOf } from './change-human.ts';
import { type Group, groupChanges } from './groups.ts';
import { INDENT } from './heading.ts';
import { listDiff } from './list-diff.ts';
import { fenced, folded } from './markdown.ts';
import { plain } from './style.ts';
import { count, flow, moreLine, type Page } from './text.ts';

/** What a comment shows without scrolling sideways. */
export const FENCE: Page = { style: plain, width: 100, fold: Number.POSITIVE_INFINITY };

/** Names of so many routine changes stand with their edit; more are folded away. */
const NAMES_INLINE = 12;
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
export function editsOf(changes: readonly Change[]): readonly Edit[] {
  return layOut(groupChanges(changes), FENCE, listDiff).map(({ group, head: [head = '', ...rest], body }) => {
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
): string[][] {
  return RISK_LEVELS.flatMap((level) => {
    const edits = shown.filter(({ edit }) => edit.level === level);
    if (edits.length === 0) return [];
    const title = level === 'low' ? 'Routine' : `${level[0]?.toUpperCase()}${level.slice(1)} risk`;
    const body = sectionBody(edits);
    const lines = edits.reduce((sum, { edit }) => sum + edit.lines.length, 0);
    const isLong = !edits.some(({ edit }) => edit.group.risky) && lines > LINES_OPEN;
    return [
      [`### ${title}: ${count(totals[level], 'change')}`],
      isLong ? folded(`Show ${count(totals[level], 'change')}`, body) : body,
    ];
  });
}

/** Fences with as many edits as stand together; the folded names of one come right behind it. */
function sectionBody(shown: readonly ShownEdit[]): string[] {
  const blocks: string[][] = [];
  let open: string[] = [];
  for (const { edit, names } of shown) {
    const isInline = edit.group.risky || edit.names <= NAMES_INLINE;
    open.push(...edit.lines, ...(isInline ? inlineNames(edit, names) : []));
    if (isInline || names === 0) continue;
    const title = `The ${edit.names} records`;
    blocks.push(
      fenced('diff', open),
      folded(title, fenced('', flow(namesShown(edit, names), FENCE.width, WIDEST_NAME))),
    );
    open = [];
  }
  if (open.length > 0) blocks.push(fenced('diff', open));
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function inlineNames(edit: Edit, names: number): string[] {
  if (edit.names === 0) return [];
  const sign = DIFF_SIGNS[edit.group.changes[0].action];
  const lines = flow(namesShown(edit, names), FENCE.width - INDENT.length, WIDEST_NAME);
  return lines.map((text) => diffLine({ lead: INDENT, tone: 'plain', text }, sign));
}

function namesShown(edit: Edit, names: number): readonly string[] {
  return [...edit.firstNames(names), ...moreLine(edit.names - names)];
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
