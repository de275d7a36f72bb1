/** One GET over a connection of its own, in the hands of undici. */
import type { Socket } from 'node:net';
import { Client } from 'undici';
import { type Head, headOf } from '../../client/http/answer.ts';
import { listen } from '../../util/abort.ts';
import { CODINGS, LARGEST_BODY } from './body.ts';

export interface Response extends Head {
  /** The beginning of the body as it was sent; empty where it is not wanted. */
  readonly body: Buffer;
  /** What broke the body off. */
  readonly cut?: Error;
}

export interface Asking {
  readonly userAgent: string;
  readonly wantsBody: boolean;
}

const LIMITS = { pipelining: 1, maxHeaderSize: 64 * 1024, headersTimeout: 0, bodyTimeout: 0 };

/** Rejects where no head of a response came. The socket is closed afterwards; aborted, `signal` ends the request. */
export async function request(
  url: URL,
  socket: Socket,
  { userAgent, wantsBody }: Asking,
  signal: AbortSignal,
): Promise<Response> {
  let isGiven = false;
  const client = new Client(url.origin, {
    ...LIMITS,
    connect(_to, done) {
      const isOver = isGiven;
      // There is one connection: another would not be one that was checked. The client takes none before this returns.
      queueMicrotask(() => (isOver ? done(new Error('the connection is over'), null) : done(null, socket)));
      isGiven = true;
    },
  });
  const headers = ['user-agent', userAgent, 'accept', 'text/html,*/*;q=0.8'];
  if (wantsBody) headers.push('accept-encoding', CODINGS);
  try {
    return await new Promise<Response>((resolve, reject) => {
      const parts: Buffer[] = [];
      let [size, head]: [number, Head | undefined] = [0, undefined];
      const end = (cut?: Error): void => {
        unlisten();
        if (head === undefined) reject(cut);
        else resolve({ ...head, body: Buffer.concat(parts).subarray(0, LARGEST_BODY), ...(cut && { cut }) });
      };
      const unlisten = listen(signal, () => end(signal.reason));
      client.dispatch(
        { method: 'GET', path: url.pathname + url.search, headers, reset: true },
        {
          onRequestStart: () => undefined,
          onResponseStart(_controller, status, came) {
            // Interim responses come here too.
            if (status < 200) return;
            head = headOf(status, came);
            if (!wantsBody || status >= 300) end();
          },
          onResponseData(_controller, part) {
            if (head === undefined) return;
            if (size < LARGEST_BODY) parts.push(part);
            size += part.length;
            if (size >= LARGEST_BODY) end();
          },
          onResponseEnd: () => end(),
          onResponseError: (_controller, error) => end(error),
        },
      );
    });
  } finally {
    socket.destroy();
    client.destroy().catch(() => undefined);
  }
}
