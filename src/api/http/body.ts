/** The body of an answer, by whichever means it says where it ends (RFC 9112, section 6). */
import { isUtf8 } from 'node:buffer';
import { type Head, MalformedAnswer } from './head.ts';

/** Larger answers are not taken, in bytes. */
export const LARGEST_BODY = 64 * 1024 * 1024;
export const NOTHING = Buffer.alloc(0);
/** The longest line between chunks, in bytes. */
const LONGEST_LINE = 16 * 1024;

/** An answer outgrew what is taken. */
export class TooLarge extends Error {}

export interface Body {
  /** Takes what came; returns what it leaves because the body is whole, and `undefined` while it is not. */
  take(bytes: Buffer): Buffer | undefined;
  /** Whether the end of the connection is the end of the body. */
  readonly endsWithConnection: boolean;
  /** What came. */
  content(): Content;
}

export interface Content {
  /** As text; what is not UTF-8 in it is replaced. */
  readonly text: string;
  readonly isUtf8: boolean;
}

/** The body that follows `head`. Throws MalformedAnswer where it cannot be told where that ends, and TooLarge. */
export function bodyAfter({ status, headers }: Head): Body {
  if (status === 204 || status === 304) return sized(0);
  const { 'transfer-encoding': coding, 'content-length': length } = headers;
  if (coding !== undefined) {
    // Two lengths are how answers are smuggled past those who believe the other one.
    const isChunked = coding.toLowerCase() === 'chunked' && length === undefined;
    if (!isChunked) throw new MalformedAnswer('a transfer coding that was not asked for');
    return chunked();
  }
  if (length === undefined) return unbounded();
  if (!/^\d{1,15}$/.test(length)) throw new MalformedAnswer('a length that is none');
  return sized(Number(length));
}

/** Parts of a body, as they come. */
function collect(): { add(part: Buffer): void; size(): number; content(): Content } {
  const parts: Buffer[] = [];
  let size = 0;
  return {
    add(part) {
      size += part.length;
      if (size > LARGEST_BODY) throw new TooLarge();
      parts.push(part);
    },
    size: () => size,
    content() {
      const [first, ...more] = parts;
      const bytes = first === undefined || more.length > 0 ? Buffer.concat(parts) : first;
      return { text: withoutMark(bytes.toString('utf8')), isUtf8: isUtf8(bytes) };
    },
  };
}

/** Without a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function sized(length: number): Body {
  if (length > LARGEST_BODY) throw new TooLarge();
  const { add, size, content } = collect();
  return {
    take(bytes) {
      const missing = length - size();
      add(bytes.subarray(0, missing));
      return bytes.length < missing ? undefined : bytes.subarray(missing);
    },
    endsWithConnection: false,
    content,
  };
}

function unbounded(): Body {
  const { add, content } = collect();
  return {
    take(bytes) {
      add(bytes);
      return undefined;
    },
    endsWithConnection: true,
    content,
  };
}

/** Chunks, each after a line with its size, and at last, after one of no size, headers that nobody waits for (section 7.1). */
function chunked(): Body {
  const { add, content } = collect();
  let unread: Buffer = NOTHING;
  let expects: 'size' | 'data' | 'end of data' | 'trailer' | 'nothing' = 'size';
  let missing = 0;

  function takeData(): void {
    const part = unread.subarray(0, missing);
    add(part);
    missing -= part.length;
    unread = unread.subarray(part.length);
    if (missing === 0) expects = 'end of data';
  }

  function takeLine(line: string): void {
    if (expects === 'size') {
      missing = sizeOf(line);
      expects = missing === 0 ? 'trailer' : 'data';
    } else if (expects === 'end of data') {
      if (line !== '') throw new MalformedAnswer('a chunk of another size than it says');
      expects = 'size';
    } else if (line === '') expects = 'nothing';
  }

  /** The next line, which is taken off what is unread; `undefined` while it lacks its end. */
  function nextLine(): string | undefined {
    const end = unread.indexOf('\r\n');
    if (end < 0 ? unread.length > LONGEST_LINE : end > LONGEST_LINE) {
      throw new MalformedAnswer('a line that is too long');
    }
    if (end < 0) return undefined;
    const line = unread.toString('latin1', 0, end);
    unread = unread.subarray(end + 2);
    return line;
  }

  /** Whether there is more to be taken from what is unread. */
  function takeNext(): boolean {
    if (expects === 'data') takeData();
    else {
      const line = nextLine();
      if (line === undefined) return false;
      takeLine(line);
    }
    return unread.length > 0 && expects !== 'nothing';
  }

  return {
    take(bytes) {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      let goesOn = unread.length > 0;
      while (goesOn) goesOn = takeNext();
      return expects === 'nothing' ? unread : undefined;
    },
    endsWithConnection: false,
    content,
  };
}

/** The size that the line before a chunk tells; what else it says is for nobody here. */
function sizeOf(line: string): number {
  const digits = /^([0-9a-f]{1,12})[ \t]*(?:;[^\r\n]*)?$/i.exec(line)?.[1];
  if (digits === undefined) throw new MalformedAnswer('a chunk without a size');
  return Number.parseInt(digits, 16);
}
