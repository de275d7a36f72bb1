/** A request as it is told of. */
import type { Pace } from './limiter-state.ts';

/** It has ended. Holds nothing of the headers and the body that were sent. */
export interface RequestFacts {
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  /** Which try of its operation it was, from 1. */
  readonly attempt: number;
  /** How long it had waited for its turn, in milliseconds. */
  readonly waitedMs: number;
  readonly method: string;
  readonly url: string;
  readonly ms: number;
  readonly status?: number;
  /** Why there is no answer. */
  readonly reason?: string;
  readonly pace: Pace;
}
