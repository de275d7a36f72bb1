/** What bounds the service; times in milliseconds. */
import { BUSY_TIMEOUT } from './open-store.ts';

export interface Limits {
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
  /** How many connections are open at a time; further ones are ended at once. */
  readonly connections: number;
}

export const LIMITS: Limits = {
  request: 30_000,
  silence: 120_000,
  idle: 75_000,
  busy: BUSY_TIMEOUT,
  drain: 10_000,
  connections: 1000,
};
