/** What a run came to, as a step summary or a comment. */
import type { Result } from '../../model/run.ts';
import { FENCE } from '../change-markdown.ts';
import { alert, code, fenced, fitting, folded, inline, type MarkdownOptions } from '../markdown.ts';
import { count, flow, limited, moreLine, textOf } from '../text.ts';
import { type Applied, gravestApplied } from './applied.ts';
import { failureBlocks, residualBlocks, signedName } from './human.ts';
import {
  costText,
  countsText,
  effectLine,
  effectSections,
  goOnText,
  isNothing,
  nothingText,
  othersText,
  proofOf,
  unknownFirst,
} from './words.ts';

/** The hidden first line by which a job finds the comment that it wrote before. */
export const RESULT_MARKER = '<!-- websites-as-code:result -->';

const [NOTES, NOTE_LENGTH, RUN_LENGTH] = [10, 400, 100];
/** So many changes that were applied are named, and that many of them without a click. */
const [APPLIED, APPLIED_OPEN] = [100, 25];

type Section = 'failed' | 'residual' | 'effect' | 'name' | 'note' | 'applied';

interface ResultPart {
  readonly section: Section;
  readonly lines: readonly string[];
}

/** The result as Markdown of at most `limit` characters; what does not fit is cut, and counted. */
export function resultMarkdown(result: Result, options: MarkdownOptions & Applied = {}): string {
  const failures = unknownFirst(result.failures);
  const parts: ResultPart[] = [
    ...failureBlocks(failures, FENCE).map((lines): ResultPart => ({ section: 'failed', lines })),
    ...residualBlocks(result.residual, FENCE).map((lines): ResultPart => ({ section: 'residual', lines })),
    ...effectSections(result).flatMap(({ title, effects }) =>
      effects.map(
        (effect): ResultPart => ({ section: 'effect', lines: [`${title}: ${effectLine(effect)}`] }),
      ),
    ),
    ...noteLines(result).map((line): ResultPart => ({ section: 'note', lines: [line] })),
    ...result.not_attempted.map((subject): ResultPart => ({ section: 'name', lines: [signedName(subject)] })),
    ...gravestApplied(options, APPLIED).map(
      (change): ResultPart => ({ section: 'applied', lines: [signedName(change)] }),
    ),
  ];
  return fitting(parts.length, options, (shown) => documentOf(result, parts.slice(0, shown), options));
}

function documentOf(
  result: Result,
  parts: readonly ResultPart[],
  { target, applied = [] }: MarkdownOptions & Applied,
): string {
  const { failures, residual, not_attempted } = result;
  const effects = effectSections(result).flatMap((section) => section.effects);
  const shown = (section: Section) => parts.filter((part) => part.section === section);
  const lines = (section: Section): string[] => shown(section).flatMap((part) => part.lines);
  const left = (section: Section, total: number, noun: string): string[] =>
    moreLine(total - shown(section).length, noun);
  const names = [...lines('name'), ...left('name', not_attempted.length, 'change')];
  return textOf([
    [RESULT_MARKER],
    [`## Websites: ${headline(result)}`],
    target === undefined ? [] : [code(target)],
    verdictLines(result),
    ...section(
      failures.length,
      `Failed: ${count(failures.length, 'change')}`,
      fenced('diff', [...lines('failed'), ...left('failed', failures.length, 'failure')]),
    ),
    ...section(
      residual.length,
      `Not converged: ${count(residual.length, 'difference')} from what was sent`,
      fenced('', [...lines('residual'), ...left('residual', residual.length, 'difference')]),
    ),
    ...section(
      effects.length,
      `Settings that were not to change: ${count(effects.length, 'difference')}`,
      fenced('', [...lines('effect'), ...left('effect', effects.length, 'difference')]),
    ),
    ...section(not_attempted.length, `Not attempted: ${count(not_attempted.length, 'change')}`, [
      ...(result.stopped === null ? [] : [`Because: ${inline(result.stopped, NOTE_LENGTH)}`, '']),
      ...fenced('', flow(names, FENCE.width)),
    ]),
    lines('note'),
    ...appliedBlocks([...lines('applied'), ...left('applied', applied.length, 'change')], applied.length),
    [colophon(result)],
  ]);
}

function appliedBlocks(names: readonly string[], total: number): (readonly string[])[] {
  const title = `Applied: ${count(total, 'change')}`;
  const body = fenced('', flow(names, FENCE.width));
  return total <= APPLIED_OPEN ? section(total, title, body) : [folded(title, body)];
}

function section(size: number, title: string, body: readonly string[]): (readonly string[])[] {
  return size === 0 ? [] : [[`### ${title}`], body];
}

function headline(result: Result): string {
  if (isNothing(result)) return 'nothing to apply';
  return `${result.interrupted ? 'interrupted after ' : ''}${countsText(result)}`;
}

/** What to believe, and what to do next. */
function verdictLines(result: Result): string[] {
  const proof = proofOf(result);
  const others = othersText(result);
  const goOn = goOnText(result);
  const lines = [
    ...(isNothing(result) ? [inline(`${nothingText(result)}.`)] : []),
    ...(proof === undefined ? [] : [`**${proof[0]}:** ${proof[1]}.`]),
    ...(others === undefined ? [] : [others]),
    ...(goOn === undefined ? [] : [inline(goOn)]),
  ];
  return goOn === undefined || lines.length === 0 ? lines : alert('CAUTION', lines);
}

function noteLines({ notes }: Result): string[] {
  return limited(notes, NOTES, 'note', (note) => `- ${inline(note, NOTE_LENGTH)}`);
}

function colophon(result: Result): string {
  const run = result.run === null ? '' : `Run ${code(result.run, RUN_LENGTH)} `;
  return `<sub>${run}${costText(result)}</sub>`;
}
