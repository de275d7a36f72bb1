/** Heads: the line that names a change or a failure, its right part lined up over the whole page. */
import type { Action } from '../model/change.ts';
import type { Place } from '../model/errors.ts';
import type { Subject } from '../model/run.ts';
import { leading, safeDomain, safeId } from './sanitize.ts';
import type { Style } from './style.ts';
import { columns, type Page, widestOf } from './text.ts';

/** Left what it is about, right where it comes from. */
export interface Heading {
  /** Sign and action. */
  readonly label: string;
  readonly paint: keyof Style;
  readonly name: string;
  readonly id: string;
  readonly right: string;
}

export const SIGNS: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };
const PAINTS = { create: 'add', update: 'change', delete: 'remove' } as const;
export const INDENT = ' '.repeat(6);

/** Where the right column begins if nothing calls for another place. */
const RIGHT_COLUMN = 50;
const LEFT_AT_LEAST = 30;

/** The head of one change, told by its name alone. */
export function subjectHead({ action, domain, id, source }: Subject): Heading {
  return {
    label: `${SIGNS[action]} ${action}`,
    paint: PAINTS[action],
    name: safeDomain(domain),
    id: id === undefined ? '' : safeId(id),
    right: placeText(source),
  };
}

/** `file:line`; the file alone where there is no line, as of a run that is undone; or nothing. */
export function placeText(place: Place | undefined): string {
  if (place === undefined) return '';
  return leading(place.line === 0 ? place.file : `${place.file}:${place.line}`);
}

/** The column at which the right parts of all heads line up, as far as the page's width allows. */
export function rightColumn(heads: readonly Heading[], { width }: Page): number {
  const wanted = Math.max(RIGHT_COLUMN, widestOf(heads.map(leftText)) + 2);
  return Math.min(wanted, Math.max(LEFT_AT_LEAST, width - widestOf(heads.map((head) => head.right))));
}

/** The head in one line, or in two where its right part does not fit. */
export function headLines(head: Heading, column: number, { style, width }: Page): string[] {
  const left = leftText(head);
  const painted = [style[head.paint](head.label), style.strong(head.name), style.dim(head.id)];
  const line = painted.filter((part) => part !== '').join('  ');
  if (head.right === '') return [line];
  const gap = Math.max(2, column - columns(left));
  if (columns(left) + gap + columns(head.right) > width) return [line, INDENT + style.dim(head.right)];
  return [line + ' '.repeat(gap) + style.dim(head.right)];
}

function leftText({ label, name, id }: Heading): string {
  return [label, name, id].filter((part) => part !== '').join('  ');
}
