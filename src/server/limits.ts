/** What bounds the service; times in milliseconds. */
import type { ConnectionLimits } from '../util/node/connections.ts';
import { BUSY_TIMEOUT } from './store.ts';

export interface Limits extends ConnectionLimits {
  /** How long a request may take to arrive. */
  readonly request: number;
  /** How long a connection may be silent while a request is under way. */
  readonly silence: number;
  /** How long a connection is kept for the next request: longer than a proxy in front keeps it. */
  readonly idle: number;
  /** How long the write of another process is waited for. */
  readonly busy: number;
  /** How long what is under way may hold up the end of the service. */
  readonly drain: number;
}

export const LIMITS: Limits = {
  request: 30_000,
  silence: 120_000,
  idle: 75_000,
  busy: BUSY_TIMEOUT,
  drain: 10_000,
  connections: 1000,
  pipelined: 16,
};
