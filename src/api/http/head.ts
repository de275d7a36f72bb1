/** The head of an answer: its status line and its headers (RFC 9112, sections 4 and 5). */

/** By lower-case name; a header that came several times is joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
  /** How long the connection waits for another request, in milliseconds; 0: it carries none. */
  readonly keptMs: number;
}

/** Idle connections are given up before common servers (5 s and more) drop them under a request, in milliseconds. */
export const LONGEST_KEPT = 4000;

/** What came is no answer of HTTP/1.x; `message` says what is wrong with it, as a clause. */
export class MalformedAnswer extends Error {}

const STATUS_LINE = /^HTTP\/(1\.[01]) (\d{3})(?: |$)/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Control characters, and line ends that are half. */
const FORBIDDEN = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/;
/** Headers of which the first counts: joined, they would mean nothing. */
const SINGLE: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

/** So many are remembered: the answers of a service have few heads, but for the time in them. */
const MOST_REMEMBERED = 100;
const remembered = new Map<string, Head>();

/** Reads a head, given without the empty line that ends it. Throws MalformedAnswer. */
export function readHead(text: string): Head {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const head = parseHead(text);
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, head);
  return head;
}

function parseHead(text: string): Head {
  if (FORBIDDEN.test(text)) throw new MalformedAnswer('a character that no head holds');
  const [first = '', ...lines] = unfolded(text).split('\r\n');
  const match = STATUS_LINE.exec(first);
  if (match === null) throw new MalformedAnswer('no status line');
  const headers = headersOf(lines);
  return { status: Number(match[2]), headers, keptMs: keptMs(match[1], headers) };
}

/** How long the service keeps the connection (RFC 9112, section 9.3), with some time for the next request to arrive. */
function keptMs(version: string | undefined, headers: Headers): number {
  const options = headers.connection?.toLowerCase().split(/[\s,]+/) ?? [];
  const isKept = version === '1.1' ? !options.includes('close') : options.includes('keep-alive');
  if (!isKept) return 0;
  const seconds = /timeout=(\d{1,9})/i.exec(headers['keep-alive'] ?? '')?.[1];
  return Math.min(LONGEST_KEPT, Number(seconds ?? LONGEST_KEPT) * 800);
}

function headersOf(lines: readonly string[]): Headers {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!NAME.test(name)) throw new MalformedAnswer('a line that is no header');
    const value = line.slice(colon + 1).trim();
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`;
  }
  return headers;
}

/**
 * A line that begins with white space goes on with the one before (RFC 9112, section 5.2). A run of white space is
 * looked at from its beginning alone: a head may hold nothing else.
 */
function unfolded(text: string): string {
  return text.replace(/(?:(?<![ \t])[ \t]+)?\r\n[ \t]+/g, ' ');
}
