/** A guard that a plan trips, and what may be approved. planner/guards.ts has the rules. */

import type { Violation } from './policy.ts';

export const GUARD_CODES = [
  'empty',
  'deletes',
  'updates',
  'www',
  'duplicates',
  'protected',
  'incomplete',
  'drift',
  'policy',
] as const;

export type GuardCode = (typeof GUARD_CODES)[number];

export interface Guard {
  readonly code: GuardCode;
  readonly message: string;
  readonly remedy: string;
  /** Somebody said yes to it. */
  readonly approved: boolean;
  /** The policy that is violated. */
  readonly policy?: Violation;
}

/** What somebody said yes to. */
export interface Approvals {
  readonly empty: boolean;
  /** Up to so many. */
  readonly deletes?: number;
  readonly updates?: number;
  /** Names of policies that may be violated. */
  readonly policies?: readonly string[];
}
