/** The answer to one request, made of what the client reports. */
import { isUtf8 } from 'node:buffer';

/** By lower-case name; a header that came several times is joined. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Head {
  readonly status: number;
  readonly headers: Headers;
}

export interface Answer extends Head {
  readonly kind: 'answer';
  readonly body: string;
  /** Whether all of the body is text in UTF-8; else `body` is not what was sent. */
  readonly isUtf8: boolean;
}

/** Headers of which the first counts: joined, they would mean nothing. */
const SINGLE: ReadonlySet<string> = new Set(['content-type', 'location', 'retry-after']);

/** `came` has a list for each header that came several times. */
export function headOf(status: number, came: Readonly<Record<string, string | string[] | undefined>>): Head {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(came)) {
    const isSeveral = Array.isArray(value);
    headers[name] = !isSeveral ? value : SINGLE.has(name) ? value[0] : value.join(', ');
  }
  return { status, headers };
}

/** `bytes` are its body, of which a byte order mark is left out. */
export function answerOf({ status, headers }: Head, bytes: Buffer): Answer {
  const body = bytes.toString('utf8').replace(/^\ufeff/, '');
  return { kind: 'answer', status, headers, body, isUtf8: isUtf8(bytes) };
}
