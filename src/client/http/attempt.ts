/** One request in the hands of undici, from the queue to the end of its answer. */
import type { Dispatcher } from 'undici';
import { type Answer, answerOf, type Head, headOf } from './answer.ts';
import { type Body, type BodyBudget, startBody } from './body.ts';
import { brokenOff, type Failure, notSent, timedOut } from './network-errors.ts';

export interface Terms {
  /** From the asking to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Told when it leaves, once there is a connection for it. */
  readonly onSent?: (() => void) | undefined;
}

/** Where a request is sent. */
export interface Way {
  readonly pool: Dispatcher;
  readonly budget: BodyBudget;
}

/**
 * Has a pool send a request, and tells how it ended. Rejects where the request itself is none, in which case nothing was
 * sent.
 */
export function attempt(
  { timeoutMs, onSent }: Terms,
  { pool, budget }: Way,
  request: Dispatcher.DispatchOptions,
): Promise<Answer | Failure> {
  return new Promise((resolve, reject) => {
    let sending: Dispatcher.DispatchController | undefined;
    let head: Head | undefined;
    let isLate = false;
    let body: Body | undefined;

    function end(came: () => Answer | Failure): void {
      clearTimeout(timer);
      try {
        resolve(came());
      } catch (error) {
        resolve(brokenOff(error as NodeJS.ErrnoException, head));
      } finally {
        body?.release();
        body = undefined;
      }
    }

    const answer = (): Answer => answerOf(head as Head, (body as Body).end());
    const timer = setTimeout(() => {
      isLate = true;
      end(() => timedOut(timeoutMs, sending !== undefined, head));
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
        if (status < 200) return;
        head = headOf(status, headers);
        body = startBody(head, budget);
      },
      onResponseData(controller, part) {
        try {
          if (body?.add(part) !== false) return;
          end(answer);
          controller.abort(new Error('enough was read'));
        } catch (error) {
          controller.abort(error as Error);
        }
      },
      onResponseEnd() {
        // The pool takes the connection for free an immediate after this call, and would open another before.
        queueMicrotask(() => setImmediate(end, answer));
      },
      onResponseError(_controller, error: NodeJS.ErrnoException) {
        if (error.code === 'UND_ERR_INVALID_ARG') reject(error);
        end(() => (sending === undefined ? notSent(error) : brokenOff(error, head)));
      },
    });
  });
}
