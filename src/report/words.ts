import type { Failure } from '../model/run.ts';
import { type Harmless, joinTexts, prose, say, type Text } from './sanitize.ts';

export function count<const Noun extends string>(number: number, noun: Noun & Harmless<Noun>): Text {
  return say`${number} ${noun as Text}${number === 1 ? '' : 's'}`;
}

/** Counts items by kind, with a label for each kind: `2 to create, 1 to delete`. */
export function tally(labels: readonly (readonly [string, Text])[], kinds: readonly unknown[]): Text {
  const counts = labels.map(([kind, label]) => {
    const { length } = kinds.filter((one) => one === kind);
    return length > 0 && say`${length} ${label}`;
  });
  return joinTexts(counts);
}

export const MAX_NAMED = 10;

export function joinShortenedTexts(texts: readonly Text[], named = MAX_NAMED): Text {
  const shown = joinTexts(texts.slice(0, named));
  return texts.length > named ? say`${shown} … and ${texts.length - named} more` : shown;
}

export function moreOf(left: number, noun?: Text): Text[] {
  const more = noun === undefined ? say`${left} more` : count(left, say`more ${noun}`);
  return left > 0 ? [say`… and ${more}`] : [];
}

/** Formats a duration for a person: `0.4 s`, `42 s`, `5 min`, `3 h`, `12 d`. */
export function duration(seconds: number): Text {
  if (seconds < 9.95) return say`${prose(seconds.toFixed(1))} s`;
  const [size, unit] = UNITS.find(([unitSize]) => seconds >= 2 * unitSize) ?? SECOND;
  return say`${Math.round(seconds / size)} ${unit}`;
}

const SECOND = [1, 's'] as const;
const UNITS = [[86_400, 'd'], [3600, 'h'], [60, 'min'], SECOND] as const;

export function outcomeText(failure: Pick<Failure, 'outcome' | 'status' | 'attempts'>): Text {
  const { outcome, status, attempts } = failure;
  const facts = joinTexts([
    status !== undefined && say`${status}`,
    attempts > 1 && count(attempts, 'attempt'),
  ]);
  const word = outcome === 'failed' ? say`failed` : say`outcome unknown`;
  return facts === '' ? word : say`${word} (${facts})`;
}
