/**
 * Makes foreign text harmless, and words with it. Text from a file or a service may contain characters that move the cursor, change the
 * writing direction or are invisible. Each of them becomes a visible escape before the text is shown.
 */
import type { Failure } from '../model/run.ts';
import { cutText, lastOf, UNSAFE_CLASS, utf16Escapes } from '../util/text.ts';

declare const HARMLESS: unique symbol;

/** Text that is safe for a terminal, a page and a log. Back ends accept no other text. */
export type Text = '' | (string & { readonly [HARMLESS]: true });

/** Rejects every other string at compile time, including template literal types. */
export type Harmless<T> = T extends Text | number | Missing
  ? T
  : Record<never, never> extends Record<T & string, 1>
    ? never
    : T;

type Missing = false | null | undefined;

export type MaybeText = Text | Missing;

/** Makes a sentence of numbers, literals, and texts that are already harmless. Omits missing parts. */
export function say<const Parts extends readonly (string | number | Missing)[]>(
  strings: TemplateStringsArray,
  ...parts: Parts & { readonly [Index in keyof Parts]: Harmless<Parts[Index]> }
): Text {
  const text = strings.reduce((before, string, index) => {
    const part: string | number | false = parts[index - 1] ?? '';
    return before + (part === false ? '' : part) + string;
  });
  return harmless(text);
}

/** Omits missing items and empty texts. */
export function present<T>(items: readonly (T | Missing | '')[] = []): T[] {
  return items.flatMap((item) => item || []) as T[];
}

export function joinTexts(
  texts: readonly MaybeText[],
  separator: '' | ' ' | ', ' | '; ' | '. ' | ' and ' = ', ',
): Text {
  return harmless(present(texts).join(separator));
}

/** Includes every space character except the plain space. */
const UNSAFE = new RegExp(`[${UNSAFE_CLASS}]|(?! )\\p{Zs}`, 'gu');

/** Matches all but printable ASCII, so that most texts are skipped quickly. JSON keeps its line ends. */
const FOREIGN = /[^\x20-\x7e]+/g;
const FOREIGN_JSON = /[^\x20-\x7e\n]+/g;

/** Matches the start of a CI command, which may be anywhere in a line: `##[…]`, `##vso[…]`, `##teamcity[…]`. */
const COMMAND = /##(?=\w*\[)/g;
const NO_COMMAND = '#\\u0023';

/** Maximum lengths. A domain has at most 253 characters, and messages of the service are cut to 300. */
const MAX_VALUE = 120;
const MAX_DOMAIN = 254;
const MAX_PROSE = 2_000;

/** Escapes unsafe characters as `\n`, `\t` or `\u202e`. Cuts the middle of a text over `longest`. */
export function safe(text: string, longest = MAX_VALUE): Text {
  const [half, left] = [longest / 2, text.length - longest];
  const cut = left > 0 ? `${cutText(text, half)}… (${left} more) …${lastOf(text, half)}` : text;
  return harmless(cut.replace(FOREIGN, (run) => run.replace(UNSAFE, visible)));
}

function harmless(text: string): Text {
  return (text.includes('##') ? text.replace(COMMAND, NO_COMMAND) : text) as Text;
}

/** Makes a sentence with foreign parts harmless. Line ends and tabs become spaces. */
export function prose(text: string, longest = MAX_PROSE): Text {
  return safe(text.replace(/[ \t\r\n]+/g, ' ').trim(), longest);
}

/** Like `prose`, for the start of a line: CI systems take a line that starts with `::error::` as a command. */
export function leading(text: string): Text {
  return guarded(prose(text)) as Text;
}

/** Escapes a line of harmless parts that would be a CI command, also after spaces and colors. */
export function guarded(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of ours may lead to it
  return line.includes('::') ? line.replace(/^((?:\s|\x1b\[\d+m)*)::/, '$1\\u003a:') : line;
}

/** Makes a line of data, with its line end, safe for a terminal or the log of a CI system. */
export function shownLine(line: string): string {
  return `${guarded(safe(line.replace(/\n$/, ''), Number.POSITIVE_INFINITY))}\n`;
}

export function safeId(id: string): Text {
  return safe(`#${id}`);
}

/** Quotes an invalid domain that could be mistaken for other text. */
export function safeDomain(domain: string): Text {
  const text = safe(domain, MAX_DOMAIN);
  return /^[\p{L}\p{M}\p{N}._*-]+$/u.test(text) ? text : (`"${text.replaceAll('"', '\\"')}"` as Text);
}

/** Escapes every unsafe character in JSON text except line ends. The parsed value stays the same. */
export function safeJson(json: string): string {
  return harmless(json.replace(FOREIGN_JSON, (run) => run.replace(UNSAFE, utf16Escapes)));
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visible(character: string): string {
  return SHORT[character] ?? utf16Escapes(character);
}

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
