/** One request in the hands of undici, from the queue to the end of its answer. */
import type { Dispatcher } from 'undici';
import { type Answer, answerOf, type Head, headOf } from './answer.ts';
import { brokenOff, type Failure, notSent, timedOut } from './network-errors.ts';

export interface Terms {
  /** From the asking to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told when it leaves, once there is a connection for it. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * Has a pool send a request, and tells how it ended. Rejects where the request itself is none, in which case nothing was
 * sent.
 */
export function attempt(
  { timeoutMs, onSent }: Terms,
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
): Promise<Answer | Failure> {
  return new Promise((resolve, reject) => {
    let sending: Dispatcher.DispatchController | undefined;
    let head: Head | undefined;
    let isLate = false;
    const parts: Buffer[] = [];
    const timer = setTimeout(() => {
      isLate = true;
      resolve(timedOut(timeoutMs, sending !== undefined, head));
      sending?.abort(new Error('time ran out'));
    }, timeoutMs);
    pool.dispatch(request, {
      /** Called right before the first byte is written: what ends before was not sent. */
      onRequestStart(controller) {
        // Drops the request and keeps the connection, which an abort would end; and nothing is sent twice.
        if (isLate || sending !== undefined) throw new Error('this request is over');
        sending = controller;
        onSent?.();
      },
      onResponseStart(_controller, status, headers) {
        // Interim answers come here too.
        if (status >= 200) head = headOf(status, headers);
      },
      onResponseData(_controller, part) {
        parts.push(part);
      },
      onResponseEnd() {
        clearTimeout(timer);
        const answer = answerOf(head as Head, parts);
        // The pool takes the connection for free an immediate after this call, and would open another before.
        queueMicrotask(() => setImmediate(resolve, answer));
      },
      onResponseError(_controller, error: NodeJS.ErrnoException) {
        clearTimeout(timer);
        if (error.code === 'UND_ERR_INVALID_ARG') reject(error);
        else resolve(sending === undefined ? notSent(error) : brokenOff(error, head));
      },
    });
  });
}
