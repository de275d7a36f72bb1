import type { RunEvent } from '../../model/run.ts';
import type { LimiterState, ReadProgress } from '../../model/service.ts';
import type { ProgressFacts } from '../../report/events.ts';

type Amount = Pick<ProgressFacts, 'kind' | 'done' | 'failed' | 'total'> & { readonly since: number };

/** Seconds until a rate is shown. An earlier rate would be too inaccurate. */
const SETTLED = 0.5;

export function createMeter() {
  let reading: Amount | undefined;
  let changing: Amount | undefined;
  let run = { done: 0, failed: 0, total: 0, since: 0 };
  let limiter: (() => LimiterState) | undefined;

  return {
    read({ what, done, total, ended }: ReadProgress): void {
      const before = reading?.kind === what && reading.done <= done ? reading : undefined;
      const since = before?.since ?? performance.now();
      reading = ended ? undefined : { kind: what, done, failed: 0, total, since };
    },
    event(event: RunEvent): void {
      if (event.type === 'run_started')
        run = { done: 0, failed: 0, total: event.changes, since: performance.now() };
      else if (event.type === 'verify_started' || event.type === 'run_ended') changing = undefined;
      else if ('action' in event) {
        if (event.type === 'change_done') run.done += 1;
        if (event.type === 'change_failed') run.failed += 1;
        changing = { ...run, kind: event.action };
      }
    },
    follow(state: () => LimiterState): void {
      limiter = state;
    },
    facts(): ProgressFacts | undefined {
      const amount = reading ?? changing;
      return amount && factsOf(amount, limiter?.());
    },
  };
}

function factsOf({ since, ...amount }: Amount, state: LimiterState | undefined): ProgressFacts {
  const ended = amount.done + amount.failed;
  const total = amount.total === undefined ? undefined : Math.max(amount.total, ended);
  const seconds = (performance.now() - since) / 1000;
  const rate = seconds >= SETTLED && ended > 0 ? ended / seconds : undefined;
  const heldFor = state?.heldForMs ? state.heldForMs / 1000 : undefined;
  // The limit counts requests. One request reads many records of a list, and only one record otherwise.
  const most = amount.kind === 'list' ? undefined : state?.requestsPerSecond;
  const fastest = Math.min(rate ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY);
  const isKnown = total !== undefined && Number.isFinite(fastest);
  const left = isKnown ? Math.max(heldFor ?? 0, (total - ended) / fastest) : undefined;
  return { ...amount, total, rate, left, heldFor };
}
