/** One connection, on which requests go one after the other. It never repeats one. */
import type { Socket } from 'node:net';
import { LARGEST_BODY, TooLarge } from './body.ts';
import { LONGEST_KEPT, MalformedAnswer } from './head.ts';
import { type Answer, type AnswerReader, createReader } from './reader.ts';
import { BROKEN, type Failure, reasonOf } from './reasons.ts';

/** Told once how a request ended. */
export type Settle = (reply: Answer | Failure) => void;

export interface Connection {
  /** Whether it can be written to. */
  isOpen(): boolean;
  /** Sends a request, head and body; only while none is under way. */
  send(text: string, settle: Settle): void;
  /** Ends the request that is under way, because its time is over, and with it the connection. */
  giveUp(timeoutMs: number): void;
}

interface Owner {
  /** It can carry another request. */
  onFree(connection: Connection): void;
  /** It has ended, and carries nothing any more. */
  onClosed(connection: Connection): void;
}

/** `socket` is ready to be written to. */
export function createConnection(socket: Socket, { onFree, onClosed }: Owner): Connection {
  let settle: Settle | undefined;
  let reader: AnswerReader | undefined;
  let keptMs = LONGEST_KEPT;

  function finish(reply: Answer | Failure): void {
    const told = settle;
    settle = undefined;
    reader = undefined;
    told?.(reply);
  }

  function fail(kind: Failure['kind'], reason: string): void {
    const head = reader?.head();
    socket.destroy();
    finish({ kind, sent: true, reason, ...(head === undefined ? {} : { head }) });
  }

  function breakOff(reason: string): void {
    fail('broken', reader?.head() === undefined ? reason : 'the answer was cut off');
  }

  function complete(whole: AnswerReader): void {
    keepFor(whole.keptMs());
    finish(whole.answer());
    if (keptMs > 0) onFree(connection);
  }

  /** Has the connection wait for another request, but not the process for it. */
  function keepFor(ms: number): void {
    if (ms !== keptMs) socket.setTimeout(ms);
    keptMs = ms;
    if (ms === 0) socket.destroy();
    else socket.unref();
  }

  function take(bytes: Buffer, into: AnswerReader): void {
    try {
      if (into.take(bytes)) complete(into);
    } catch (error) {
      if (error instanceof TooLarge) {
        fail('too-large', `the answer is larger than ${LARGEST_BODY / 1024 ** 2} MiB`);
      } else if (error instanceof MalformedAnswer) {
        fail('broken', `what came back is no HTTP answer: ${error.message}`);
      } else throw error;
    }
  }

  const connection: Connection = {
    isOpen: () => !socket.destroyed,
    send(text, told) {
      settle = told;
      reader = createReader();
      socket.ref();
      socket.write(text);
    },
    giveUp(timeoutMs) {
      const what = reader?.head() === undefined ? 'there was no answer' : 'the answer did not end';
      fail('timeout', `${what} within ${timeoutMs} ms`);
    },
  };

  socket.setNoDelay(true);
  socket.setTimeout(keptMs);
  socket.on('data', (bytes: Buffer) => {
    // What nobody asked for must not be taken for the answer to what is asked next.
    if (reader === undefined) socket.destroy();
    else take(bytes, reader);
  });
  socket.on('end', () => {
    if (reader?.end()) complete(reader);
    else breakOff(BROKEN);
  });
  socket.on('error', (error) => breakOff(reasonOf(error)));
  socket.on('timeout', () => {
    if (reader === undefined) socket.destroy();
  });
  socket.on('close', () => {
    breakOff(BROKEN);
    onClosed(connection);
  });
  return connection;
}
