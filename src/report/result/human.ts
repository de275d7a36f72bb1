/** What a run came to, for a person: what failed and why, what was not tried, and the verification. */
import type { Failure, Residual, Result, Subject } from '../../model/run.ts';
import { type Heading, headLines, INDENT, rightColumn, SIGNS, subjectHead } from '../heading.ts';
import { helpLines, messageLines } from '../message.ts';
import { safe, safeDomain } from '../sanitize.ts';
import { count, flow, hang, moreLine, type Page, pageOf, type RenderOptions, textOf } from '../text.ts';
import {
  costText,
  countsText,
  type EffectSection,
  effectLine,
  effectSections,
  failureText,
  goOnText,
  isNothing,
  nothingText,
  proofOf,
  residualText,
  stoppedText,
  unknownFirst,
  unverifiedText,
} from './words.ts';

/** So many changes that were not attempted, or are not as sent, are named; the rest is counted. */
const NAMED_AT_MOST = 50;

const NOTES = 20;

/** The result as text that ends in its summary line. */
export function resultHuman(result: Result, options: RenderOptions): string {
  const page = pageOf(options);
  const { style } = page;
  return textOf([
    failureLines(result.failures, page),
    notAttemptedLines(result, page),
    residualLines(result.residual, page),
    ...effectSections(result).map((section) => effectLines(section, page)),
    [
      ...result.notes.slice(0, NOTES).flatMap((note) => messageLines('note', note, page)),
      ...moreLine(result.notes.length - NOTES, 'note'),
      ...proofLines(result, page),
      ...(unverifiedText(result) === undefined ? [] : [unverifiedText(result) ?? '']),
      ...helpLines(goOnText(result), '', page),
    ],
    [style.strong(resultSummary(result))],
  ]);
}

/** The one line that says what a run came to. */
function resultSummary(result: Result): string {
  const name = result.run === null ? '' : ` Run ${safe(result.run)}.`;
  if (isNothing(result)) return `Nothing to apply. ${nothingText(result)}.${name}`;
  return `${result.interrupted ? 'Interrupted' : 'Applied'}: ${countsText(result)} ${costText(result)}.${name}`;
}

/** Every failure by name, the first ones with their story; those that cannot be told come first. */
function failureLines(failures: readonly Failure[], page: Page): string[] {
  const ordered = unknownFirst(failures);
  const lines = failureBlocks(ordered.slice(0, NAMED_AT_MOST), page).flat();
  const others = ordered.slice(NAMED_AT_MOST);
  if (others.length === 0) return lines;
  return [
    ...lines,
    `… and ${count(others.length, 'more failure')}:`,
    ...nameLines(others, others.length, page),
  ];
}

/** Each failure with its story. */
export function failureBlocks(failures: readonly Failure[], page: Page): string[][] {
  const heads = failures.map(failureHead);
  const column = rightColumn(heads, page);
  return failures.map((failure) => [
    ...headLines(failureHead(failure), column, page),
    ...hang(INDENT, failureText(failure), page.width),
    ...helpLines(failure.remedy, INDENT, page),
  ]);
}

function failureHead(failure: Failure): Heading {
  return { ...subjectHead(failure), label: `! ${failure.action}`, paint: 'bad' };
}

function notAttemptedLines(result: Result, page: Page): string[] {
  const { not_attempted } = result;
  if (not_attempted.length === 0) return [];
  const label = page.style.warn('Not attempted');
  return [
    `${label}: ${count(not_attempted.length, 'change')}${stoppedText(result)}.`,
    ...nameLines(not_attempted, NAMED_AT_MOST, page),
  ];
}

function nameLines(subjects: readonly Subject[], atMost: number, { width }: Page): string[] {
  const names = subjects.slice(0, atMost).map(signedName);
  const lines = [...flow(names, width - INDENT.length), ...moreLine(subjects.length - names.length)];
  return lines.map((line) => INDENT + line);
}

export function signedName({ action, domain }: Subject): string {
  return `${SIGNS[action]} ${safeDomain(domain)}`;
}

/** Each setting with both values. */
export function effectLines({ title, meaning, effects }: EffectSection, { style, width }: Page): string[] {
  const label = title === 'Side effects' ? style.bad(title) : style.warn(title);
  return [
    `${label}: ${meaning}.`,
    ...effects.slice(0, NAMED_AT_MOST).flatMap((effect) => hang(INDENT, effectLine(effect), width)),
    ...moreLine(effects.length - NAMED_AT_MOST, 'setting'),
  ];
}

/** Field by field what is not as it was sent; those of one record stand together already. */
function residualLines(residual: readonly Residual[], page: Page): string[] {
  if (residual.length === 0) return [];
  return [
    `${page.style.bad('Not converged')}: ${count(residual.length, 'difference')} from what was sent.`,
    ...residualBlocks(residual.slice(0, NAMED_AT_MOST), page).flat(),
    ...moreLine(residual.length - NAMED_AT_MOST, 'difference'),
  ];
}

/** Each difference, the first one of a record under the record's name. */
export function residualBlocks(residual: readonly Residual[], page: Page): string[][] {
  return residual.map((one, index) => {
    const before = residual[index - 1];
    const isSame = one.action === before?.action && one.domain === before.domain;
    return [
      ...(isSame ? [] : headLines(subjectHead(one), 0, page)),
      `${INDENT}${page.style.bad('!')} ${residualText(one)}`,
    ];
  });
}

function proofLines(result: Result, { style }: Page): string[] {
  const proof = proofOf(result);
  if (proof === undefined) return [];
  const [verdict, meaning] = proof;
  const paint = verdict === 'Verified' ? style.good : style.warn;
  return [`${paint(verdict)}: ${meaning}.`];
}
