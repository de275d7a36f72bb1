/** How far long work has come: a line that is drawn again on a terminal, or one to be logged now and then. */
import type { Action } from '../model/change.ts';
import type { ReadProgress } from '../model/service.ts';
import { count, duration } from './text.ts';

export interface ProgressFacts {
  readonly kind: ReadProgress['what'] | Action;
  readonly done: number;
  readonly failed: number;
  /** What `done` and `failed` will come to, where that is known. */
  readonly total: number | undefined;
  /** So many a second. */
  readonly rate: number | undefined;
  /** Seconds until all is done, as things go. */
  readonly left: number | undefined;
  /** Seconds until the service, which asked to slow down, is asked again. */
  readonly heldFor: number | undefined;
  /** Requests under way at once, where they are fewer than they were because the service asked to slow down. */
  readonly slowedTo: number | undefined;
}

const LABELS: Readonly<Record<ProgressFacts['kind'], string>> = {
  list: 'Listing',
  find: 'Looking up',
  read: 'Reading',
  create: 'Creating',
  update: 'Updating',
  delete: 'Deleting',
};

/** A line of its own, for a log. */
export function progressLine(facts: ProgressFacts): string {
  const { kind, done, total, rate, left } = facts;
  const amount = total === undefined ? count(done, 'record') : `${done} of ${count(total, 'record')}`;
  const parts = [
    amount,
    failedText(facts),
    rateText(rate, ' a second'),
    leftText(left, 'about '),
    paceText(facts),
  ];
  return `${LABELS[kind]}: ${parts.filter(Boolean).join(', ')}.\n`;
}

/** The narrowest bar that tells anything, and the widest that is of use. */
const [NARROWEST_BAR, WIDEST_BAR] = [10, 30];

/**
 * One line of at most `width` columns without a line break. What does not fit is left out, the least important
 * first; `bar` draws one of so many columns, without its edges.
 */
export function progressBar(facts: ProgressFacts, width: number, bar: (columns: number) => string): string {
  const { kind, done, failed, total, rate, left } = facts;
  const counts = total === undefined ? `${done}` : `${done + failed}/${total}`;
  const head = `${LABELS[kind]}  ${counts}`;
  let line = head;
  for (const part of [failedText(facts), paceText(facts), leftText(left, ''), rateText(rate, '/s')]) {
    if (part !== undefined && line.length + 2 + part.length <= width) line += `  ${part}`;
  }
  const room = Math.min(WIDEST_BAR, width - line.length - '[]  '.length);
  if (total === undefined || room < NARROWEST_BAR) return line.slice(0, width);
  return `${LABELS[kind]}  [${bar(room)}]  ${line.slice(LABELS[kind].length + 2)}`;
}

function failedText({ failed }: ProgressFacts): string | undefined {
  return failed > 0 ? `${failed} failed` : undefined;
}

function rateText(rate: number | undefined, unit: string): string | undefined {
  return rate === undefined ? undefined : `${rate < 9.95 ? rate.toFixed(1) : Math.round(rate)}${unit}`;
}

function leftText(left: number | undefined, about: string): string | undefined {
  return left === undefined ? undefined : `${about}${duration(left)} left`;
}

function paceText({ heldFor, slowedTo }: ProgressFacts): string | undefined {
  if (heldFor !== undefined) return `rate limited, resuming in ${duration(heldFor)}`;
  return slowedTo === undefined ? undefined : `slowed to ${count(slowedTo, 'request')} at once`;
}
