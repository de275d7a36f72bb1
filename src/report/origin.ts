/** Whose change it is, where the plan was compared with an earlier revision of the files. */
import type { Change, Origin } from '../model/change.ts';

const WORDS: Readonly<Record<Origin, string>> = {
  config: 'configuration changed',
  drift: 'service drifted',
  both: 'configuration changed and service drifted',
};

/** In words; empty where the plan does not tell. */
export function originText({ origin }: Change): string {
  return origin === undefined ? '' : WORDS[origin];
}

/** How many changes are of each origin, in words; none where the plan does not tell. */
export function originCounts(changes: readonly Change[]): string[] {
  const counts = new Map<string, number>();
  for (const change of changes) {
    const words = originText(change);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return Object.values(WORDS).flatMap((words) => {
    const number = counts.get(words);
    return number === undefined ? [] : [`${number} ${words}`];
  });
}
