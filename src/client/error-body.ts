/** What a service says of a failure, in whichever form (specification, section 7: not shown). */
import { isObject, parseJson } from '../util/json.ts';
import { firstOf } from '../util/text.ts';

/** What the service said about a failure: one sentence, and its words by field. */
export interface DecodedFailure {
  readonly message: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** Reads an error answer, JSON in any of its published forms or an HTML page. */
export function decodeFailure(body: string): DecodedFailure {
  const raw = parseJson(body);
  if (raw === undefined) return { message: pageText(body), fields: {} };
  if (!isObject(raw)) return { message: typeof raw === 'string' ? oneSentence(raw) : '', fields: {} };
  const fields = { ...fieldWords(raw.errors), ...fieldWords(raw.message) };
  const words = Object.values(fields).flat();
  return { message: oneSentence(words.length > 0 ? words.join(' ') : statement(raw)), fields };
}

/**
 * Whether an answer, be its status good, itself says that it is an error. What holds an id of its own is a record,
 * whose members may be called anything.
 */
export function tellsOfError(raw: unknown): boolean {
  if (!isObject(raw) || 'id' in raw) return false;
  const { success, status, error, errors } = raw;
  const isFailed = isNo(success) || /^(?:error|fail)/i.test(String(status));
  return isFailed || Number(status) >= 400 || isFilled(error) || isFilled(errors);
}

function isFilled(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null ? Object.keys(raw).length > 0 : Boolean(raw) && !isNo(raw);
}

/** False, as itself or as a text. */
function isNo(raw: unknown): boolean {
  return /^(?:false|0)$/i.test(String(raw));
}

/** Where frameworks put what is about no field: the last two are those of RFC 9457 and of JSON:API. */
const STATED = ['message', 'error', 'errors', 'detail', 'title'];
/** A list in a member, and in it objects, as deep as they are looked for. */
const DEEPEST = 3;

function statement(raw: unknown, depth = DEEPEST): string {
  if (typeof raw === 'string') return raw;
  if (depth === 0) return '';
  const below = (one: unknown): string => statement(one, depth - 1);
  if (Array.isArray(raw)) return raw.map(below).filter(Boolean).join(' ');
  return isObject(raw) ? (STATED.map((name) => below(raw[name])).find(Boolean) ?? '') : '';
}

function fieldWords(raw: unknown): Record<string, string[]> {
  if (!isObject(raw)) return {};
  const entries = Object.entries(raw).map(([name, words]) => [
    name,
    [words].flat().flatMap((word) => (typeof word === 'string' ? oneSentence(word) : [])),
  ]);
  return Object.fromEntries(entries) as Record<string, string[]>;
}

/** How much of a page is looked at for its title, in characters. */
const HEAD_LENGTH = 10_000;

/** The title of an HTML page, or the beginning of a plain text. */
function pageText(body: string): string {
  const head = body.slice(0, HEAD_LENGTH);
  return pageTitle(head) ?? oneSentence(/<[a-z!]/i.test(head) ? '' : head);
}

/** The title of an HTML page, in one line; `undefined` where there is none. */
export function pageTitle(body: string): string | undefined {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body.slice(0, HEAD_LENGTH))?.[1];
  return title === undefined ? undefined : oneSentence(title);
}

function oneSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${firstOf(line, 299)}…` : line;
}
