/** When a run stops starting new work (decision: "A failed record does not stop the others"). */

export interface BreakerRule {
  /** Stop at so many failures of any kind; replaces the two rules below. */
  readonly maxFailures?: number | undefined;
}

/** Failures of the service in a row, and the share of failures among at least so many changes. */
const IN_A_ROW = 10;
const SHARE = 0.2;
const AT_LEAST = 50;

export interface Breaker {
  /** Counts one ended change; returns why to stop, once there is a reason. */
  count(outcome: 'done' | 'record' | 'service'): string | undefined;
}

/**
 * `record` is a failure of one record alone (a 422, a 404): it counts towards the share, not towards
 * the row; `service` counts towards both.
 */
export function createBreaker(rule: BreakerRule): Breaker {
  let row = 0;
  let failed = 0;
  let ended = 0;
  return {
    count(outcome) {
      ended += 1;
      if (outcome === 'done') row = 0;
      else failed += 1;
      if (outcome === 'service') row += 1;
      if (rule.maxFailures !== undefined) {
        if (failed < rule.maxFailures || failed === 0) return undefined;
        return `${failed === 1 ? 'one change' : `${failed} changes`} failed (WEBSITES_MAX_FAILURES)`;
      }
      if (row >= IN_A_ROW) return `the service failed ${row} times in a row`;
      if (ended >= AT_LEAST && failed / ended >= SHARE) return `${failed} of ${ended} changes failed`;
      return undefined;
    },
  };
}
