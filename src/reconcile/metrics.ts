/** The metrics of the loop, for Prometheus. No label holds a domain: there are as many series at the end as at the start. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ACTIONS } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import type { Fate, Result } from '../model/run.ts';
import { isSuccess, type LimiterView, type LoopEvent, OUTCOMES } from './events.ts';

export interface Metrics {
  tell(event: LoopEvent): void;
  /** The text of `/metrics`, and its media type. */
  text(): Promise<string>;
  readonly type: string;
}

export interface MetricsOptions {
  /** Of this program. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const FATES: readonly Fate[] = ['done', 'failed', 'unknown', 'not_attempted'];
/** From a plan of a few records to an apply of many thousand, in seconds. */
const DURATIONS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];

export function createMetrics({ version, now }: MetricsOptions): Metrics {
  const registry = new Registry();
  const meters = createMeters(registry, version);
  let limiter: (() => LimiterView) | undefined;
  /** What the present limiter had counted when it was last looked at. */
  let heldMs = 0;

  function look(): void {
    const view = limiter?.();
    if (view === undefined) return;
    // A clock that was put back makes it less, which a counter never is.
    const counted = Math.max(heldMs, view.heldMs);
    meters.throttled.inc((counted - heldMs) / 1000);
    heldMs = counted;
    meters.concurrency.set(view.width);
    meters.active.set(view.active);
    meters.rate.set(view.requestsPerSecond ?? 0);
  }

  return {
    tell(event) {
      switch (event.type) {
        case 'connected':
          limiter = event.limiter;
          heldMs = 0;
          return;
        case 'request':
          meters.requests.inc({ method: event.method, code: event.status ?? 'none' });
          return;
        case 'planned':
          setFound(meters, event.plan.summary);
          return;
        case 'run_ended':
          countChanges(meters, event.result);
          setLeft(meters, event.result);
          return;
        case 'pass_ended':
          look();
          endPass(meters, event, now());
          return;
      }
    },
    async text() {
      look();
      return registry.metrics();
    },
    type: registry.contentType,
  };
}

type Meters = ReturnType<typeof createMeters>;

function createMeters(registry: Registry, version: string) {
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Counter({ name: `websites_${name}`, help, labelNames, registers });
  const gauge = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
    new Gauge({ name: `websites_${name}`, help, labelNames, registers });
  const meters = {
    passes: counter('passes_total', 'Passes, by outcome', ['outcome']),
    errors: counter('pass_errors_total', 'Passes that failed, by error code', ['code']),
    changes: counter('changes_total', 'Planned changes, by outcome', ['action', 'outcome']),
    requests: counter('requests_total', 'Requests to the service; code "none" had no answer', [
      'method',
      'code',
    ]),
    throttled: counter(
      'throttled_seconds_total',
      'Time in which nothing could be sent because the service asked to wait',
    ),
    drift: gauge('drift', 'Changes of the last plan that are not applied', ['action']),
    orphans: gauge('orphans', 'Orphans in the last plan'),
    lastSuccess: gauge('last_success_timestamp_seconds', 'When a pass last succeeded; 0 if never'),
    backoff: gauge('backoff_seconds', 'Current pause after failed passes; 0 if the last pass succeeded'),
    concurrency: gauge('limiter_concurrency', 'Allowed requests in flight'),
    active: gauge('limiter_active', 'Requests in flight'),
    rate: gauge('limiter_requests_per_second', 'Rate that the service allows; 0 if unknown'),
    duration: new Histogram({
      name: 'websites_pass_duration_seconds',
      help: 'How long passes take',
      buckets: DURATIONS,
      registers,
    }),
  };
  gauge('build_info', 'The version of the program; always 1', ['version']).set({ version }, 1);
  // A series that begins at 0 shows its first increase.
  for (const outcome of OUTCOMES) meters.passes.inc({ outcome }, 0);
  for (const action of ACTIONS) {
    meters.drift.set({ action }, 0);
    for (const outcome of FATES) meters.changes.inc({ action, outcome }, 0);
  }
  collectDefaultMetrics({ register: registry });
  return meters;
}

function setFound(meters: Meters, found: Plan['summary']): void {
  for (const action of ACTIONS) meters.drift.set({ action }, found[action]);
  // A pass reads the list.
  meters.orphans.set(found.orphan ?? 0);
}

/** What a run left of the changes that its plan found; where it could not look, they count as left. */
function setLeft({ drift }: Meters, { failures, not_attempted, converged, residual }: Result): void {
  if (converged === null) return;
  const left = [...failures, ...not_attempted, ...residual];
  for (const action of ACTIONS) {
    const domains = left.filter((one) => one.action === action).map(({ domain }) => domain);
    drift.set({ action }, new Set(domains).size);
  }
}

function countChanges({ changes }: Meters, { summary, failures, not_attempted }: Result): void {
  const { created, updated, deleted } = summary;
  changes.inc({ action: 'create', outcome: 'done' }, created);
  changes.inc({ action: 'update', outcome: 'done' }, updated);
  changes.inc({ action: 'delete', outcome: 'done' }, deleted);
  for (const { action, fate } of failures) changes.inc({ action, outcome: fate });
  for (const { action } of not_attempted) changes.inc({ action, outcome: 'not_attempted' });
}

function endPass(
  meters: Meters,
  { report, seconds, failures, pauseMs = 0 }: Extract<LoopEvent, { type: 'pass_ended' }>,
  now: number,
): void {
  const { outcome, error } = report;
  meters.passes.inc({ outcome });
  meters.duration.observe(seconds);
  meters.backoff.set(failures > 0 ? pauseMs / 1000 : 0);
  if (error !== undefined) meters.errors.inc({ code: error instanceof WebsitesError ? error.code : 'bug' });
  if (isSuccess(report)) meters.lastSuccess.set(now / 1000);
}
