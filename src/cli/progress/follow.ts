/** What follows the work of a command, as the commands see it. */
import type { Action } from '../../model/change.ts';
import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, OnRead, RequestFacts } from '../../model/service.ts';

export interface ProgressWays {
  /** Nothing but errors and warnings. */
  readonly quiet: boolean;
  /** A line for each request. */
  readonly verbose: boolean;
  /** Standard output is a stream of events: where it can be seen, it is progress enough. */
  readonly streams: boolean;
}

/** What a connection is told to report to. */
export interface Watch {
  readonly onRead: OnRead;
  readonly onRequest: (request: RequestFacts) => void;
  readonly onLimiter: (state: () => LimiterState) => void;
}

export interface Progress {
  readonly watch: Watch;
  /** A command begins. */
  begin(ways: ProgressWays): void;
  /** A plan is about to be carried out; `actions` are those of its changes, in their order. */
  plan(actions: readonly Action[]): void;
  /** Takes an event in. Returns true where it is worth a line for a person. */
  event(event: RunEvent): boolean;
  /** The command has ended. */
  end(): void;
}
