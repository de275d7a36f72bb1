/** The loop: a pass, a pause, the next pass. Time, chance and the pass itself are handed in. */

import { WebsitesError } from '../model/errors.ts';
import { listen } from '../util/abort.ts';
import type { Clock } from '../util/clock.ts';
import { type Rhythm, regularPause, retryPause } from './backoff.ts';
import { isSuccess, type PassOutcome, type PassReport, type Tell } from './events.ts';

export interface LoopOptions extends Rhythm {
  readonly once: boolean;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  /** One pass. What it throws is its outcome; an aborted signal ends it in order. */
  readonly pass: (signal: AbortSignal) => Promise<PassReport>;
  readonly tell: Tell;
  /** Aborted: what is under way is finished, and nothing begins. */
  readonly signal: AbortSignal;
}

/**
 * Goes on until it is told to end, whatever a pass comes to; returns the report of the last one, `undefined`
 * where none began. Throws `usage` of the first pass: the command line is wrong. Of a later one it is what the pass
 * read that is wrong, and may be fixed while the loop runs.
 */
export async function reconcile(options: LoopOptions): Promise<PassReport | undefined> {
  const drain = (): void => options.tell({ type: 'draining' });
  const unlisten = listen(options.signal, drain);
  try {
    return await goOn(options);
  } finally {
    unlisten();
  }
}

async function goOn(options: LoopOptions): Promise<PassReport | undefined> {
  const { clock, random, once, tell, signal } = options;
  let last: PassReport | undefined;
  let failures = 0;
  for (let pass = 1; !signal.aborted; pass += 1) {
    tell({ type: 'pass_started', pass });
    const startedAt = clock.monotonic();
    last = await attempt(options, pass === 1);
    failures = countFailures(last, failures);
    const isLast = once || signal.aborted;
    const isRetry = failures > 0 && last.outcome !== 'locked';
    const pauseMs = isRetry ? retryPause(options, failures, random()) : regularPause(options, random());
    const seconds = (clock.monotonic() - startedAt) / 1000;
    tell({
      type: 'pass_ended',
      pass,
      report: last,
      seconds,
      failures,
      ...(isLast ? {} : { pauseMs }),
    });
    if (isLast) break;
    await clock.sleep(pauseMs, signal);
  }
  return last;
}

/** Where another process was at work, this one neither failed nor succeeded. */
function countFailures(report: PassReport, before: number): number {
  if (isSuccess(report)) return 0;
  return report.outcome === 'locked' || report.outcome === 'interrupted' ? before : before + 1;
}

/** A pass has a signal of its own, so that whatever listens to it goes with the pass. */
async function attempt({ pass, signal }: LoopOptions, isFirst: boolean): Promise<PassReport> {
  const own = new AbortController();
  const relay = (): void => own.abort(signal.reason);
  const unlisten = listen(signal, relay);
  try {
    return await pass(own.signal);
  } catch (error) {
    if (isFirst && error instanceof WebsitesError && error.code === 'usage') throw error;
    return { outcome: signal.aborted ? 'interrupted' : outcomeOf(error), error };
  } finally {
    unlisten();
  }
}

/** An error that nobody foresaw is a failure like any other: the next pass may not meet it. */
function outcomeOf(error: unknown): PassOutcome {
  if (!(error instanceof WebsitesError)) return 'failed';
  if (error.code === 'lock-held') return 'locked';
  return error.code === 'guard-refused' ? 'refused' : 'failed';
}
