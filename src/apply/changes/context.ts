/** What every change of a run is carried out with. */
import type { WebsiteService } from '../../model/service.ts';
import type { WwwRule } from '../../model/website.ts';
import type { Clock } from '../../util/clock.ts';
import type { Values } from './payload.ts';
import type { Updates } from './updates.ts';

export interface ExecutionContext {
  readonly service: WebsiteService;
  readonly clock: Clock;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
  readonly values: Values;
  readonly updates: Updates;
  /** How `www.x` and `x` relate, where that is settled by now. */
  readonly www: () => WwwRule | undefined;
  /** How long one request may take, in milliseconds: after that it can no longer be at work. */
  readonly requestTimeoutMs: number;
  /** How long one change may take with its retries, without waits that the service asked for; in milliseconds. */
  readonly timeoutMs: number;
  /** Aborted: the run was interrupted, and nothing is waited for any more. */
  readonly signal: AbortSignal;
}
