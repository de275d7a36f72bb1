/** Reading the answer to one request from the bytes of its connection. No I/O. */
import { type Body, bodyAfter, NOTHING } from './body.ts';
import { type Head, type Headers, MalformedAnswer, readHead } from './head.ts';

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Whether all of the body is text in UTF-8; else `body` is not what was sent. */
  readonly isUtf8: boolean;
}

export interface AnswerReader {
  /**
   * Takes what came; true once the answer is whole. Throws MalformedAnswer or TooLarge, after which it is not
   * to be called again.
   */
  take(bytes: Buffer): boolean;
  /** The connection has ended; true where that makes the answer whole. */
  end(): boolean;
  /** That of the answer, once it has come. */
  head(): Head | undefined;
  /** Once it is whole. */
  answer(): Answer;
  /** Once it is whole: how long the connection waits for another request, in milliseconds; 0: it carries none. */
  keptMs(): number;
}

const END_OF_HEAD = '\r\n\r\n';
/** The longest head, in bytes. */
const LONGEST_HEAD = 64 * 1024;

export function createReader(): AnswerReader {
  let unread: Buffer = NOTHING;
  let head: Head | undefined;
  let body: Body | undefined;
  let left: Buffer | undefined;

  /** Takes the next head off what is unread; `undefined` while it lacks its end. */
  function takeHead(bytes: Buffer): Head | undefined {
    const end = bytes.indexOf(END_OF_HEAD);
    unread = bytes;
    if (end < 0) {
      if (!mayBeginHead(bytes)) throw new MalformedAnswer('no head');
      if (bytes.length > LONGEST_HEAD) throw new MalformedAnswer('a head that is too long');
      return undefined;
    }
    unread = bytes.subarray(end + END_OF_HEAD.length);
    return readHead(bytes.toString('latin1', 0, end));
  }

  /** Takes heads up to that of the answer itself, past interim ones (RFC 9110, section 15.2); returns what follows it. */
  function takeHeads(bytes: Buffer): Buffer | undefined {
    let next = takeHead(unread.length === 0 ? bytes : Buffer.concat([unread, bytes]));
    while (next !== undefined && next.status < 200) {
      if (next.status === 101) throw new MalformedAnswer('another protocol');
      next = takeHead(unread);
    }
    if (next === undefined) return undefined;
    head = next;
    body = bodyAfter(next);
    return unread;
  }

  return {
    take(bytes) {
      const rest = body === undefined ? takeHeads(bytes) : bytes;
      left = rest && body?.take(rest);
      return left !== undefined;
    },
    end: () => body?.endsWithConnection ?? false,
    head: () => head,
    answer() {
      const { text, isUtf8 } = body?.content() ?? { text: '', isUtf8: true };
      return { kind: 'answer', status: head?.status ?? 0, headers: head?.headers ?? {}, body: text, isUtf8 };
    },
    // What came after the answer was not asked for, and there may be more of it.
    keptMs: () => (head !== undefined && left?.length === 0 ? head.keptMs : 0),
  };
}

/** Whether what came so far, less than a head, may become one. */
function mayBeginHead(bytes: Buffer): boolean {
  const begin = 'HTTP/1.';
  const text = bytes.toString('latin1');
  return begin.startsWith(text.slice(0, begin.length)) && !/(?<!\r)\n/.test(text);
}
