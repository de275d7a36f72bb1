/**
 * The seals of a journal: each line ends with one over the run, the seal of the line before, and the line itself. So
 * lines cannot be altered, left out from between, or taken from another run; that the last ones are missing cannot be
 * told, since a run that was killed looks the same.
 */
import type { Seals } from '../model/seal.ts';

/** `,"seal":"…"}`, with the 64 digits of a seal. */
const ENDING = /^,"seal":"([0-9a-f]{64})"\}$/;
const ENDING_LENGTH = 75;

/** A line, taken apart: the seal that it bears, and the pieces of what that is over. */
interface SealedLine {
  readonly content: readonly string[];
  readonly seal: string;
}

/** Adds its seal to each line, a JSON object, that it is given in turn. */
export function createChain(run: string, seals: Seals): (line: string) => string {
  let before = '';
  return (line) => {
    before = seals.of('journal', [`${run}\n${before}\n`, line]);
    return `${line.slice(0, -1)},"seal":"${before}"}`;
  };
}

/** How many of the first `lines` of a run are whole, and in their place. */
export function countSealed(run: string, lines: readonly string[], seals: Seals): number {
  let before: string | undefined;
  const at = lines.findIndex((line) => {
    const fits = isSealed(run, line, before, seals);
    before = line;
    return !fits;
  });
  return at < 0 ? lines.length : at;
}

/** Whether a line bears the seal that it has to after `before`; after nothing, as the first one. */
export function isSealed(run: string, line: string, before: string | undefined, seals: Seals): boolean {
  const last = before === undefined ? '' : takeApart(before)?.seal;
  const own = takeApart(line);
  if (last === undefined || own === undefined) return false;
  return seals.fits('journal', [`${run}\n${last}\n`, ...own.content], own.seal);
}

function takeApart(line: string): SealedLine | undefined {
  const seal = ENDING.exec(line.slice(-ENDING_LENGTH))?.[1];
  return seal === undefined ? undefined : { content: [line.slice(0, -ENDING_LENGTH), '}'], seal };
}
