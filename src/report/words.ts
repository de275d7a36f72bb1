import type { Failure, Stop } from '../model/run.ts';
import type { Message, Messages } from './document.ts';
import { type Harmless, joinTexts, prose, say, type Text } from './sanitize.ts';

export function count<const Noun extends string>(number: number, noun: Noun & Harmless<Noun>): Text {
  return say`${number} ${noun as Text}${number === 1 ? '' : 's'}`;
}

export const NAMED = 10;

export function joinShortenedTexts(texts: readonly Text[], named = NAMED): Text {
  const shown = joinTexts(texts.slice(0, named));
  return texts.length > named ? say`${shown} … and ${texts.length - named} more` : shown;
}

export function moreOf(left: number, noun?: Text): Text[] {
  if (left <= 0) return [];
  return [noun === undefined ? say`… and ${left} more` : say`… and ${count(left, say`more ${noun}`)}`];
}

const MOST_MESSAGES = 20;

export function shortenedMessages(items: readonly Message[], noun: Text): Messages[] {
  const more = moreOf(items.length - MOST_MESSAGES, noun).map((text): Message => ({ tone: 'plain', text }));
  return items.length === 0 ? [] : [{ kind: 'messages', items: [...items.slice(0, MOST_MESSAGES), ...more] }];
}

/** A length of time for a person: `0.4 s`, `42 s`, `5 min`, `1 h 20 min`. */
export function duration(seconds: number): Text {
  if (seconds < 9.95) return say`${prose(seconds.toFixed(1))} s`;
  if (seconds < 119.5) return say`${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return say`${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? say`${hours} h` : say`${hours} h ${minutes % 60} min`;
}

export function outcomeText(failure: Pick<Failure, 'outcome' | 'status' | 'attempts'>): Text {
  const { outcome, status, attempts } = failure;
  const facts = joinTexts([
    status !== undefined && say`${status}`,
    attempts > 1 && count(attempts, 'attempt'),
  ]);
  const word = outcome === 'failed' ? say`failed` : say`outcome unknown`;
  return facts === '' ? word : say`${word} (${facts})`;
}

/** The texts of `stopped` and `reason` in JSON, too. */
export function stopText(stop: Stop): string {
  const some = (noun: string, number: number): string =>
    number === 1 ? `one ${noun}` : `${number} ${noun}s`;
  switch (stop.code) {
    case 'interrupted':
      return 'it was interrupted';
    case 'create-failed':
      return 'a create did not succeed, so deletes were skipped';
    case 'pin-wrong':
      return 'an update reset a setting that it omitted, although "service.update" is "changed" (remove that pin)';
    case 'failed':
      return `${some('change', stop.count)} failed (WEBSITES_MAX_FAILURES)`;
    case 'failed-in-row':
      return `the service failed ${stop.count} times in a row`;
    case 'failed-share':
      return `${stop.count} of ${stop.of} changes failed`;
    case 'stale':
      return `${some('record', stop.count)} changed since the plan was made`;
    case 'canary-failed':
      return `stopped after the canary: ${some('change', stop.count)} failed`;
    case 'canary-unlike':
      return `stopped after the canary: the service does not show ${some('change', stop.count)}`;
    case 'canary-unverified': {
      const why = stop.reason === undefined ? '' : ` (${stop.reason})`;
      return `stopped after the canary: it cannot be verified${why}`;
    }
  }
}
